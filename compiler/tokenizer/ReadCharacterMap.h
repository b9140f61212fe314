// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A map of characters as SentencePiece compiles it: a double-array trie of
// what is replaced, and the texts that replace it, each ended by a zero.

#ifndef TRANSFOLD_COMPILER_TOKENIZER_READCHARACTERMAP_H
#define TRANSFOLD_COMPILER_TOKENIZER_READCHARACTERMAP_H

#include "compiler/tokenizer/Storage.h"
#include "runtime/tokenizer/CharacterMap.h"

#include <string_view>

namespace transfold::tokenizer {

/// From the bytes of a precompiled_charsmap; empty bytes map nothing. Throws
/// runtime::Error where they are damaged.
runtime::CharacterMap readCharacterMap(std::string_view bytes,
                                       Storage &storage);

} // namespace transfold::tokenizer

#endif // TRANSFOLD_COMPILER_TOKENIZER_READCHARACTERMAP_H
