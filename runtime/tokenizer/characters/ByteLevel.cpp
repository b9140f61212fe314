// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The table of Radford et al.: printable characters of Latin-1 stand for
// themselves, all other bytes for U+0100 and following in ascending order.

#include "runtime/tokenizer/characters/ByteLevel.h"

#include <array>

namespace transfold::runtime::inline tokenizer {

namespace {

/// Both directions of the mapping, computed when this file is compiled.
struct ByteTable {
  std::array<char32_t, 256> characters{};
  std::array<int, 0x144> bytes{}; // -1: none

  constexpr ByteTable() {
    for (int &byte : bytes)
      byte = -1;
    char32_t next = 0x100; // for non-printable bytes
    for (int byte = 0; byte < 256; ++byte) {
      bool visible = (byte >= '!' && byte <= '~') ||
                     (byte >= 0xa1 && byte <= 0xff && byte != 0xad);
      char32_t code = visible ? static_cast<char32_t>(byte) : next++;
      characters[static_cast<size_t>(byte)] = code;
      bytes[code] = byte;
    }
  }
};
constexpr ByteTable table;

} // namespace

void bytesAsCharacters(Characters &text) {
  Characters result;
  result.reserve(text.size());
  std::string bytes;
  for (const Character &character : text) {
    bytes.clear();
    appendUtf8(bytes, character.code);
    for (char byte : bytes)
      result.push_back({table.characters[static_cast<unsigned char>(byte)],
                        character.begin, character.end});
  }
  text = std::move(result);
}

std::optional<std::string> bytesOfToken(std::string_view token) {
  std::string bytes;
  for (const Character &character : decodeUtf8(token)) {
    if (character.code >= table.bytes.size() || table.bytes[character.code] < 0)
      return std::nullopt;
    bytes += static_cast<char>(table.bytes[character.code]);
  }
  return bytes;
}

} // namespace transfold::runtime::inline tokenizer
