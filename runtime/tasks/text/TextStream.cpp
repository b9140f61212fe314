// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Incremental decoding. The result must be the text that decoding all tokens at
// once would give; where that cannot be shown, the window stays, at the cost of
// time.

#include "runtime/tasks/text/TextStream.h"

#include <algorithm>

namespace transfold::runtime::inline tasks {

namespace {

/// Incomplete characters are decoded as this replacement character.
constexpr std::string_view replacement = "\xEF\xBF\xBD";

// Number of unsettled tokens at which the window moves; then all but the last
// few tokens are settled, and the context consists of the tokens before those.
// If characters are encoded by 2, 3 or 4 tokens, a context of 12 tokens begins
// at a character whenever the text after it does.
constexpr size_t mostUnsettled = 64, keptUnsettled = 16, contextTokens = 12;

/// Whether a byte of UTF-8 is not the first of its character.
bool continuesCharacter(char byte) { return (byte & 0xc0) == 0x80; }

} // namespace

void TextStream::read(std::span<const int32_t> tokens) {
  std::string window = decode(tokens.subspan(from));
  if (!window.starts_with(context)) { // the new tokens change settled text
    from = settled = settledText = 0;
    context.clear();
    window = decode(tokens);
  }
  std::string_view next = std::string_view(window).substr(context.size());
  std::string_view last = std::string_view(text).substr(settledText);
  auto firstOther = std::ranges::mismatch(last, next).in1;
  same = settledText + static_cast<size_t>(firstOther - last.begin());
  text.resize(settledText);
  text += next;
  while (same > 0 && same < text.size() && continuesCharacter(text[same]))
    --same;
}

/// Moves the window forward, if that does not change the text.
void TextStream::settle(std::span<const int32_t> tokens) {
  if (tokens.size() < settled + mostUnsettled)
    return;
  size_t end = tokens.size() - keptUnsettled, begin = end - contextTokens;
  std::string before = decode(tokens.subspan(from, end - from));
  std::string next = decode(tokens.subspan(begin, end - begin));
  std::string whole = decode(tokens.subspan(begin));
  // A context without text could not be distinguished from the beginning of a
  // text.
  if (next.empty() || next.ends_with(replacement) ||
      !before.starts_with(context) || !whole.starts_with(next))
    return;
  size_t newly = settledText + before.size() - context.size();
  if (newly > text.size() || std::string_view(text).substr(newly) !=
                                 std::string_view(whole).substr(next.size()))
    return;
  from = begin;
  settled = end;
  settledText = newly;
  context = std::move(next);
}

/// End of the text that more tokens cannot change: the beginning of a stop text
/// may become complete.
size_t TextStream::certainEnd() const {
  std::string_view certain = text;
  while (certain.ends_with(replacement))
    certain.remove_suffix(replacement.size());
  for (const std::string &stop : stops)
    for (size_t part = std::min(stop.size() - 1, certain.size()); part > 0;
         --part)
      if (certain.ends_with(std::string_view(stop).substr(0, part))) {
        certain.remove_suffix(part);
        break;
      }
  return certain.size();
}

bool TextStream::update(std::span<const int32_t> tokens, bool isLast) {
  read(tokens);
  // No stop text begins in the part that was shown.
  size_t end = text.size();
  for (const std::string &stop : stops)
    end = std::min(end, text.find(stop, shown));
  bool isOver = end < text.size();
  if (!isLast && !isOver)
    end = certainEnd();
  // Invalid bytes may change text that was already shown (Decoder.cpp); the
  // output then still consists of whole characters.
  while (shown < end && continuesCharacter(text[shown]))
    ++shown;
  if (end > shown) {
    show(std::string_view(text).substr(shown, end - shown));
    shown = end;
  }
  settle(tokens);
  return !isOver;
}

} // namespace transfold::runtime::inline tasks
