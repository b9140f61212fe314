// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the models that make tokens of a word have in common.

#ifndef TRANSFOLD_RUNTIME_TOKENIZER_MODEL_H
#define TRANSFOLD_RUNTIME_TOKENIZER_MODEL_H

#include "runtime/tokenizer/characters/Unicode.h"
#include "runtime/tokenizer/tables/Vocabulary.h"

#include <array>
#include <cstdint>
#include <span>
#include <tuple>
#include <vector>

namespace transfold::runtime {

/// A token of a text: its id, and the code points [begin, end) it stands for.
struct Token {
  int32_t id;
  uint32_t begin, end;
};

/// A word as UTF-8, and which of its characters each byte belongs to.
class WordBytes {
public:
  explicit WordBytes(std::span<const Character> word);

  std::string_view text() const { return bytes; }
  /// The token of the bytes [begin, end).
  Token token(int32_t id, size_t begin, size_t end) const {
    return {id, word[characters[begin]].begin, word[characters[end - 1]].end};
  }

private:
  std::span<const Character> word;
  std::string bytes;
  std::vector<uint32_t> characters;
};

/// The bytes of the UTF-8 character that begins at `begin`.
size_t characterBytes(std::string_view text, size_t begin);

/// The tokens of bytes, for characters that have none.
struct ByteTokens {
  std::array<int32_t, 256> ids; // -1: none

  static auto fields(auto &self) { return std::tie(self.ids); }

  /// Whether each of the bytes has one.
  bool cover(std::string_view bytes) const;
  int32_t operator[](char byte) const {
    return ids[static_cast<unsigned char>(byte)];
  }
};

} // namespace transfold::runtime

#endif // TRANSFOLD_RUNTIME_TOKENIZER_MODEL_H
