// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A character map as SentencePiece compiles it: a double-array trie of the
// texts to replace, and the replacements, each terminated by a zero.

#pragma once

#include "compiler/tokenizer/Storage.h"
#include "runtime/tokenizer/normalize/CharacterMap.h"

#include <string_view>

namespace transfold::tokenizer {

/// Reads the bytes of a precompiled_charsmap; empty bytes give an empty map.
/// Throws Error if they are damaged.
runtime::CharacterMap readCharacterMap(std::string_view bytes,
                                       Storage &storage);

} // namespace transfold::tokenizer
