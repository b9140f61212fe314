// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tokenizers of directories without a tokenizer.json: vocab.txt with one token
// per line, or vocab.json and merges.txt. Everything else about them is in
// transformers' code for the `tokenizer_class`, and here.

#pragma once

#include "compiler/checkpoint/Directory.h"
#include "compiler/checkpoint/TokenizerSource.h"

#include <optional>

namespace transfold::checkpoint {

/// The tokenizer.json that transformers would make of these files; nullopt if
/// they do not exist. Throws CheckpointError, also if they exist and the class
/// is unknown.
std::optional<TokenizerJson> readWordLists(const Directory &directory);

} // namespace transfold::checkpoint
