// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The tokenizers of GGUF files.

#pragma once

#include "compiler/checkpoint/TokenizerSource.h"
#include "compiler/tokenizer/Storage.h"
#include "runtime/tokenizer/Description.h"

namespace transfold::tokenizer {

/// The tokenizer in a GGUF file's metadata, by the rules of llama.cpp, with
/// views of the storage. Throws Error, also for unknown kinds.
runtime::Description readGgufTokenizer(const checkpoint::GgufTokenizer &source,
                                       Storage &storage);

} // namespace transfold::tokenizer
