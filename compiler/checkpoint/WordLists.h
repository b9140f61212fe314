// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tokenizers of directories without a tokenizer.json: vocab.txt with a token a
// line, or vocab.json and merges.txt. What else belongs to them is in
// transformers' code for the `tokenizer_class`, and here.

#ifndef TRANSFOLD_COMPILER_CHECKPOINT_WORDLISTS_H
#define TRANSFOLD_COMPILER_CHECKPOINT_WORDLISTS_H

#include "compiler/checkpoint/Directory.h"
#include "compiler/checkpoint/TokenizerSource.h"

#include <optional>

namespace transfold::checkpoint {

/// As the tokenizer.json that transformers would make of these files; nothing
/// where they are not there. Throws CheckpointError, also where they are there
/// and the class is not known.
std::optional<TokenizerJson> readWordLists(const Directory &directory);

} // namespace transfold::checkpoint

#endif // TRANSFOLD_COMPILER_CHECKPOINT_WORDLISTS_H
