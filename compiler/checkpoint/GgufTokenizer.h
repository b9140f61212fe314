// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TRANSFOLD_COMPILER_CHECKPOINT_GGUFTOKENIZER_H
#define TRANSFOLD_COMPILER_CHECKPOINT_GGUFTOKENIZER_H

#include "compiler/checkpoint/Checkpoint.h"

namespace transfold::checkpoint {

struct GgufFile;

/// What a file says of its tokenizer; nothing where it has none. Throws
/// CheckpointError where a list has values of another type than it should.
TokenizerSource tokenizerOf(const GgufFile &file);

/// Its template of conversations, with the tokens that templates name; without
/// text where it has none.
ChatTemplate chatTemplateOf(const GgufFile &file);

} // namespace transfold::checkpoint

#endif // TRANSFOLD_COMPILER_CHECKPOINT_GGUFTOKENIZER_H
