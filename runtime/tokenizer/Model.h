// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Common parts of the models that split a word into tokens.

#pragma once

#include "base/text/Unicode.h"
#include "runtime/tokenizer/tables/Vocabulary.h"

#include <array>
#include <cstdint>
#include <span>
#include <tuple>
#include <vector>

namespace transfold::runtime::inline tokenizer {

/// A token of a text: its id, and the code points [begin, end) that it covers.
struct Token {
  int32_t id;
  uint32_t begin, end;
};

/// A word as UTF-8, with the character to which each byte belongs.
class WordBytes {
public:
  explicit WordBytes(std::span<const Character> word);

  std::string_view text() const { return bytes; }
  /// A token that covers the bytes [begin, end).
  Token token(int32_t id, size_t begin, size_t end) const {
    return {id, word[characters[begin]].begin, word[characters[end - 1]].end};
  }

private:
  std::span<const Character> word;
  std::string bytes;
  std::vector<uint32_t> characters;
};

/// Length in bytes of the UTF-8 character that begins at `begin`.
size_t characterBytes(std::string_view text, size_t begin);

/// The tokens for single bytes, used for characters without a token.
struct ByteTokens {
  std::array<int32_t, 256> ids; // -1: none

  static auto fields(auto &self) { return std::tie(self.ids); }

  /// Whether each of the bytes has a token.
  bool cover(std::string_view bytes) const;
  int32_t operator[](char byte) const {
    return ids[static_cast<unsigned char>(byte)];
  }
};

} // namespace transfold::runtime::inline tokenizer
