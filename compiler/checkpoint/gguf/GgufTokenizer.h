// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The tokenizer and the chat template in the metadata of a GGUF file.

#pragma once

#include "compiler/checkpoint/Checkpoint.h"

namespace transfold::checkpoint {

struct GgufFile;

/// The tokenizer in a file's metadata; empty if it has none. Throws
/// CheckpointError if a list has values of the wrong type.
TokenizerSource tokenizerOf(const GgufFile &file);

/// The file's chat template, with the tokens that templates refer to by name;
/// `text` is empty if it has none.
ChatTemplate chatTemplateOf(const GgufFile &file);

} // namespace transfold::checkpoint
