// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The normal forms of Unicode, character by character, so that the position of
// each resulting character is known. utf8proc has the tables.

#include "base/text/Unicode.h"
#include "base/text/UnicodeAge.h"

#include <utf8proc.h>

#include <algorithm>
#include <optional>

namespace transfold {

namespace {

/// The entry of a code point in utf8proc's tables.
const utf8proc_property_t *propertyOf(char32_t code) {
  return utf8proc_get_property(static_cast<utf8proc_int32_t>(code));
}

/// The canonical combining class; 0 for characters that begin a new sequence of
/// marks.
int combiningClass(char32_t code) {
  return isAfterUnicode9(code) ? 0 : propertyOf(code)->combining_class;
}

/// Decomposes each character; marks are ordered by their combining classes.
std::vector<Change> decompose(std::span<const Character> text,
                              bool compatible) {
  auto options = static_cast<utf8proc_option_t>(
      UTF8PROC_DECOMPOSE | (compatible ? UTF8PROC_COMPAT : 0));
  std::vector<Change> result;
  result.reserve(text.size());
  for (const Character &character : text) {
    utf8proc_int32_t parts[32]; // the longest decomposition has 18
    int boundary = 0;
    utf8proc_ssize_t count = 1;
    parts[0] = static_cast<utf8proc_int32_t>(character.code);
    if (character.code >= 0x80 && !isAfterUnicode9(character.code))
      count = utf8proc_decompose_char(parts[0], parts, 32, options, &boundary);
    for (utf8proc_ssize_t i = 0; i < std::min<utf8proc_ssize_t>(count, 32); ++i)
      result.push_back({static_cast<char32_t>(parts[i]), i > 0});
  }
  auto isMark = [](const Change &change) {
    return combiningClass(change.code) != 0;
  };
  for (auto at = result.begin();;) {
    at = std::find_if(at, result.end(), isMark);
    if (at == result.end())
      return result;
    auto end = std::find_if_not(at, result.end(), isMark);
    // Equal classes keep their order, because the index is compared last.
    std::vector<std::pair<int, size_t>> order;
    for (auto mark = at; mark != end; ++mark)
      order.emplace_back(combiningClass(mark->code), order.size());
    std::sort(order.begin(), order.end());
    std::vector<Change> marks(at, end);
    for (size_t i = 0; i < order.size(); ++i)
      at[static_cast<std::ptrdiff_t>(i)] = marks[order[i].second];
    at = end;
  }
}

/// The composition of two characters, or 0.
char32_t composed(char32_t first, char32_t second) {
  if ((first < 0x80 && second < 0x80) || isAfterUnicode9(second))
    return 0;
  utf8proc_int32_t pair[] = {static_cast<utf8proc_int32_t>(first),
                             static_cast<utf8proc_int32_t>(second), 0};
  auto options =
      static_cast<utf8proc_option_t>(UTF8PROC_COMPOSE | UTF8PROC_STABLE);
  return utf8proc_normalize_utf32(pair, 2, options) == 1
             ? static_cast<char32_t>(pair[0])
             : 0;
}

/// Canonical composition (Unicode Standard Annex #15): a mark is composed with
/// the last character of class 0, unless a mark between them blocks it.
std::vector<Change> compose(std::span<const Change> parts) {
  std::vector<Change> result;
  result.reserve(parts.size());
  std::optional<size_t> base; // the character with which marks can be composed
  int last = 0;               // class of the last mark that was not composed
  for (const Change &part : parts) {
    int kind = combiningClass(part.code);
    bool blocked = last != 0 && last >= kind;
    if (base && !blocked) {
      if (char32_t code = composed(result[*base].code, part.code)) {
        result[*base].code = code;
        result[*base].change += part.change - 1;
        continue;
      }
    }
    if (kind == 0) {
      base = result.size();
      last = 0;
    } else if (base) {
      last = kind;
    }
    result.push_back(part);
  }
  return result;
}

} // namespace

void normalize(Characters &text, NormalForm form) {
  if (std::ranges::all_of(text,
                          [](const Character &c) { return c.code < 0x80; }))
    return;
  std::vector<Change> parts =
      decompose(text, form == NormalForm::KD || form == NormalForm::KC);
  if (form == NormalForm::C || form == NormalForm::KC)
    parts = compose(parts);
  rewrite(text, parts);
}

} // namespace transfold
