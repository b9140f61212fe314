// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Walks through the trie in the format of Darts-clone. The map comes from a
// file of the model: every index that it yields is checked.

#include "runtime/tokenizer/normalize/CharacterMap.h"

#include "base/Error.h"
#include "runtime/tokenizer/Model.h"
#include "runtime/tokenizer/tables/Growth.h"

#include <utf8proc.h>

namespace transfold::runtime::inline tokenizer {

namespace {

/// Throws the Error of a map that is not valid; `how` completes the sentence.
[[noreturn]] void damaged(const char *how) {
  fail("the tokenizer's precompiled_charsmap {}", how);
}

// Fields of a unit of the trie (Yata's darts-clone).
bool hasLeaf(uint32_t unit) { return (unit >> 8 & 1) != 0; }
uint32_t valueOf(uint32_t unit) { return unit & ~(uint32_t{1} << 31); }
uint32_t labelOf(uint32_t unit) { return unit & (uint32_t{1} << 31 | 0xff); }
uint32_t offsetOf(uint32_t unit) { return unit >> 10 << ((unit & 0x200) >> 6); }

/// A grapheme cluster is looked up as a whole, and the map may match all of it
/// or its first part; clusters longer than this number of bytes are looked up
/// code point by code point.
constexpr size_t longestCluster = 5;

} // namespace

std::optional<CharacterMap::Replacement>
CharacterMap::replacement(std::string_view text) const {
  if (trie.empty())
    return std::nullopt;
  auto unit = [&](size_t at) {
    if (at >= trie.size())
      damaged("points outside of itself");
    return trie[at];
  };
  std::optional<Replacement> found;
  size_t at = offsetOf(unit(0));
  for (size_t i = 0; i < text.size(); ++i) {
    auto byte = static_cast<unsigned char>(text[i]);
    if (byte == 0)
      break;
    at ^= byte;
    // An index out of range means that there is no match.
    if (at >= trie.size() || labelOf(trie[at]) != byte)
      break;
    uint32_t node = trie[at];
    at ^= offsetOf(node);
    if (!hasLeaf(node))
      continue;
    uint32_t begin = valueOf(unit(at));
    if (begin >= replacements.size())
      damaged("points outside of itself");
    std::string_view rest = replacements.substr(begin);
    if ((rest[0] & 0xc0) == 0x80)
      damaged("points into a character");
    found = {i + 1, rest.substr(0, rest.find('\0'))};
    if (!longest)
      break;
  }
  return found;
}

/// A text that is rewritten character by character.
class CharacterMap::Rewriting {
public:
  Rewriting(size_t size, size_t most) : most(most) { changes.reserve(size); }
  bool changed = false;
  std::vector<Change> changes;

  /// Appends a character of the old text.
  void keep(const Character &character) {
    changes.push_back({character.code, 0});
  }
  /// Appends `with` in place of `oldCount` characters of the old text.
  void replace(size_t oldCount, std::string_view with) {
    changed = true;
    Characters characters = decodeUtf8(with);
    for (const Character &character : characters)
      changes.push_back({character.code, 0});
    checkGrowth("precompiled_charsmap", changes.size(), most);
    int more = static_cast<int>(characters.size()) - static_cast<int>(oldCount);
    for (int i = 0; i < more; ++i)
      changes[changes.size() - 1 - static_cast<size_t>(i)].change = 1;
    // Removed characters are attributed to the preceding character; at the
    // beginning of a text, Hugging Face's tokenizers loses them, so that the
    // following characters get wrong positions. This is reproduced here.
    if (more < 0 && !changes.empty())
      changes.back().change += more;
  }

private:
  size_t most;
};

void CharacterMap::replaceLongest(const Characters &text,
                                  Rewriting &rewriting) const {
  std::string bytes = encodeUtf8(text);
  size_t place = 0; // byte offset of character `at`
  for (size_t at = 0; at < text.size();) {
    auto found = replacement(std::string_view(bytes).substr(place));
    size_t end = place + (found ? found->bytes : 1);
    size_t first = at;
    for (; at < text.size() && place < end; ++at)
      place += characterBytes(bytes, place);
    if (found)
      rewriting.replace(at - first, found->with);
    else
      rewriting.keep(text[first]);
  }
}

void CharacterMap::replaceClusters(const Characters &text,
                                   Rewriting &rewriting) const {
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
      std::optional<Replacement> found;
      if (bytes.size() <= longestCluster && (found = replacement(bytes))) {
        rewriting.replace(end - begin, found->with);
        continue;
      }
    }
    for (const Character &character : cluster) {
      std::string bytes;
      appendUtf8(bytes, character.code);
      if (auto found = replacement(bytes))
        rewriting.replace(1, found->with);
      else
        rewriting.keep(character);
    }
  }
}

void CharacterMap::apply(Characters &text, size_t most) const {
  Rewriting rewriting(text.size(), most);
  if (longest)
    replaceLongest(text, rewriting);
  else
    replaceClusters(text, rewriting);
  if (rewriting.changed)
    rewrite(text, rewriting.changes);
}

} // namespace transfold::runtime::inline tokenizer
