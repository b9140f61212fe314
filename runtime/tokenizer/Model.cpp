// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Connects bytes of a word with its characters. Models join and compare bytes,
// while positions are reported in characters.

#include "runtime/tokenizer/Model.h"

#include <algorithm>

namespace transfold::runtime::inline tokenizer {

WordBytes::WordBytes(std::span<const Character> word) : word(word) {
  bytes.reserve(word.size());
  for (size_t i = 0; i < word.size(); ++i) {
    appendUtf8(bytes, word[i].code);
    characters.resize(bytes.size(), static_cast<uint32_t>(i));
  }
}

size_t characterBytes(std::string_view text, size_t begin) {
  size_t end = begin + 1;
  while (end < text.size() && (text[end] & 0xc0) == 0x80)
    ++end;
  return end - begin;
}

bool ByteTokens::cover(std::string_view bytes) const {
  return std::ranges::all_of(bytes,
                             [&](char byte) { return (*this)[byte] >= 0; });
}

} // namespace transfold::runtime::inline tokenizer
