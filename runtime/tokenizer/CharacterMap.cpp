// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/tokenizer/CharacterMap.h"

#include "runtime/Error.h"
#include "runtime/tokenizer/Growth.h"

#include <nlohmann/json.hpp>
#include <utf8proc.h>

namespace transfold::runtime {

namespace {

[[noreturn]] void damaged(const char *how) {
  fail("tokenizer.json: the precompiled_charsmap {}", how);
}

std::string decodeBase64(std::string_view text) {
  std::string bytes;
  bytes.reserve(text.size() / 4 * 3);
  while (text.ends_with('='))
    text.remove_suffix(1);
  uint32_t bits = 0;
  int count = 0;
  for (char c : text) {
    int value = c >= 'A' && c <= 'Z'   ? c - 'A'
                : c >= 'a' && c <= 'z' ? c - 'a' + 26
                : c >= '0' && c <= '9' ? c - '0' + 52
                : c == '+'             ? 62
                : c == '/'             ? 63
                                       : -1;
    if (value < 0)
      damaged("is not base64");
    bits = bits << 6 | static_cast<uint32_t>(value);
    count += 6;
    if (count >= 8) {
      count -= 8;
      bytes += static_cast<char>(bits >> count & 0xff);
    }
  }
  return bytes;
}

uint32_t word(std::string_view bytes, size_t at) {
  uint32_t value = 0;
  for (size_t i = 4; i-- > 0;)
    value = value << 8 | static_cast<unsigned char>(bytes[at + i]);
  return value;
}

// A unit of the trie (Yata's darts-clone).
bool hasLeaf(uint32_t unit) { return (unit >> 8 & 1) != 0; }
uint32_t valueOf(uint32_t unit) { return unit & ~(uint32_t{1} << 31); }
uint32_t labelOf(uint32_t unit) { return unit & (uint32_t{1} << 31 | 0xff); }
uint32_t offsetOf(uint32_t unit) { return unit >> 10 << ((unit & 0x200) >> 6); }

/// In what a reader sees as one character, the map may replace all of it or
/// its first part: beyond this many bytes, SentencePiece looks at code points.
constexpr size_t longestCluster = 5;

} // namespace

CharacterMap CharacterMap::read(const nlohmann::json &settings) {
  const nlohmann::json &map = settings.at("precompiled_charsmap");
  return CharacterMap(
      map.is_null() ? "" : decodeBase64(map.get_ref<const std::string &>()));
}

CharacterMap::CharacterMap(std::string_view bytes) {
  if (bytes.empty())
    return;
  if (bytes.size() < 4)
    damaged("ends early");
  size_t size = word(bytes, 0);
  if (size > bytes.size() - 4 || size % 4 != 0)
    damaged("ends early");
  for (size_t at = 4; at < 4 + size; at += 4)
    trie.push_back(word(bytes, at));
  replacements = bytes.substr(4 + size);
  if (repairUtf8(replacements) != replacements)
    damaged("is not UTF-8");
}

/// What replaces the shortest beginning of `text` that the map has.
std::optional<std::string_view>
CharacterMap::replacement(std::string_view text) const {
  if (trie.empty())
    return std::nullopt;
  auto unit = [&](size_t at) {
    if (at >= trie.size())
      damaged("points outside of itself");
    return trie[at];
  };
  size_t at = offsetOf(unit(0));
  for (char c : text) {
    auto byte = static_cast<unsigned char>(c);
    if (byte == 0)
      return std::nullopt;
    at ^= byte;
    // Outside of the trie there is nothing.
    if (at >= trie.size() || labelOf(trie[at]) != byte)
      return std::nullopt;
    uint32_t node = trie[at];
    at ^= offsetOf(node);
    if (!hasLeaf(node))
      continue;
    uint32_t begin = valueOf(unit(at));
    if (begin >= replacements.size())
      damaged("points outside of itself");
    auto rest = std::string_view(replacements).substr(begin);
    if ((rest[0] & 0xc0) == 0x80)
      damaged("points into a character");
    return rest.substr(0, rest.find('\0'));
  }
  return std::nullopt;
}

void CharacterMap::apply(Characters &text, size_t most) const {
  std::vector<Change> changes;
  changes.reserve(text.size());
  bool changed = false;
  auto replaceBy = [&](int oldCount, std::string_view with) {
    changed = true;
    Characters characters = decodeUtf8(with);
    for (const Character &character : characters)
      changes.push_back({character.code, 0});
    checkGrowth("the precompiled_charsmap", changes.size(), most);
    int more = static_cast<int>(characters.size()) - oldCount;
    for (int i = 0; i < more; ++i)
      changes[changes.size() - 1 - static_cast<size_t>(i)].change = 1;
    // What is removed belongs to the character before it; at the beginning of
    // a text, tokenizers forgets it, and what follows stands for the wrong
    // place. So must we.
    if (more < 0 && !changes.empty())
      changes.back().change += more;
  };
  utf8proc_int32_t state = 0;
  for (size_t begin = 0, end; begin < text.size(); begin = end) {
    for (end = begin + 1; end < text.size(); ++end)
      if (utf8proc_grapheme_break_stateful(
              static_cast<utf8proc_int32_t>(text[end - 1].code),
              static_cast<utf8proc_int32_t>(text[end].code), &state))
        break;
    auto cluster = std::span(text).subspan(begin, end - begin);
    if (end - begin <= longestCluster) {
      std::string bytes = encodeUtf8(cluster);
      std::optional<std::string_view> found;
      if (bytes.size() <= longestCluster && (found = replacement(bytes))) {
        replaceBy(static_cast<int>(end - begin), *found);
        continue;
      }
    }
    for (const Character &character : cluster) {
      std::string bytes;
      appendUtf8(bytes, character.code);
      if (auto found = replacement(bytes))
        replaceBy(1, *found);
      else
        changes.push_back({character.code, 0});
    }
  }
  if (changed)
    rewrite(text, changes);
}

} // namespace transfold::runtime
