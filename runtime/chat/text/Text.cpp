// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Strings with origins. Only the places where the origin changes are stored, so
// that a text costs little more than its bytes.

#include "runtime/chat/text/Text.h"

#include "runtime/chat/text/Characters.h"

#include <utf8proc.h>

#include <algorithm>
#include <cstring>

namespace transfold::runtime::chat {

size_t Text::changesUpTo(size_t place) const {
  return static_cast<size_t>(std::ranges::upper_bound(changes, place) -
                             changes.begin());
}

Origin Text::originAt(size_t place) const { return after(changesUpTo(place)); }

void Text::turnTo(Origin origin) {
  if (bytes.empty())
    first = origin;
  else if (after(changes.size()) != origin)
    changes.push_back(bytes.size());
}

Text Text::substr(size_t begin, size_t count) const {
  Text part;
  part.append(*this, begin, begin + std::min(count, size() - begin));
  return part;
}

void Text::append(const Text &other, size_t begin, size_t end) {
  if (begin == end)
    return;
  work(end - begin);
  size_t passed = other.changesUpTo(begin), mine = bytes.size();
  turnTo(other.after(passed));
  bytes.append(other.bytes, begin, end - begin);
  for (; passed < other.changes.size() && other.changes[passed] < end; ++passed)
    changes.push_back(other.changes[passed] - begin + mine);
}

void Text::append(std::string_view text, Origin origin) {
  if (text.empty())
    return;
  work(text.size());
  turnTo(origin);
  bytes += text;
}

Origin Text::origin() const {
  return first == Origin::Template && changes.empty() ? Origin::Template
         : empty()                                    ? Origin::Template
                                                      : Origin::Message;
}

bool Text::isFrom(Origin origin, size_t begin, size_t end) const {
  if (begin >= end)
    return true;
  size_t passed = changesUpTo(begin);
  return after(passed) == origin &&
         (passed == changes.size() || changes[passed] >= end);
}

std::vector<std::pair<size_t, size_t>> Text::partsFrom(Origin origin) const {
  std::vector<std::pair<size_t, size_t>> parts;
  for (size_t i = first == origin ? 0 : 1; i <= changes.size(); i += 2) {
    size_t begin = i ? changes[i - 1] : 0;
    size_t end = i < changes.size() ? changes[i] : size();
    if (begin < end)
      parts.emplace_back(begin, end);
  }
  return parts;
}

/// Whether a byte of UTF-8 is the first of its character.
static bool beginsCharacter(char byte) { return (byte & 0xc0) != 0x80; }

size_t Text::length() const {
  work(size());
  return static_cast<size_t>(std::ranges::count_if(bytes, beginsCharacter));
}

size_t Text::placeOf(size_t index) const {
  size_t at = 0;
  // Whole blocks first: the compiler vectorizes this loop.
  constexpr size_t block = 64;
  while (at + block <= size()) {
    auto count = static_cast<size_t>(std::count_if(
        bytes.data() + at, bytes.data() + at + block, beginsCharacter));
    if (count > index)
      break;
    index -= count;
    at += block;
  }
  for (; at < size(); ++at)
    if (beginsCharacter(bytes[at]) && index-- == 0)
      break;
  work(at);
  return at;
}

char32_t nextCodePoint(std::string_view text, size_t &at) {
  auto byte = static_cast<unsigned char>(text[at]);
  if (byte < 0x80) {
    ++at;
    return byte;
  }
  utf8proc_int32_t code = 0;
  auto length = utf8proc_iterate(
      reinterpret_cast<const utf8proc_uint8_t *>(text.data() + at),
      static_cast<utf8proc_ssize_t>(text.size() - at), &code);
  at += length > 0 ? static_cast<size_t>(length) : 1;
  return length > 0 ? static_cast<char32_t>(code) : U'\xFFFD';
}

size_t codePointBefore(std::string_view text, size_t at) {
  do
    --at;
  while (at > 0 && !beginsCharacter(text[at]));
  return at;
}

size_t findIn(std::string_view text, std::string_view part, size_t from) {
  if (from > text.size())
    return text.npos;
  if (part.empty())
    return from;
  // memmem takes linear time for any two texts; std::string_view::find may take
  // quadratic time.
  const void *found = ::memmem(text.data() + from, text.size() - from,
                               part.data(), part.size());
  size_t place =
      found
          ? static_cast<size_t>(static_cast<const char *>(found) - text.data())
          : text.npos;
  work(std::min(place, text.size()) - from + part.size(), 4);
  return place;
}

size_t leadingSpace(std::string_view text) {
  size_t at = 0;
  while (at < text.size()) {
    size_t next = at;
    if (!isPythonSpace(nextCodePoint(text, next)))
      break;
    at = next;
  }
  work(at, priceOfCharacters);
  return at;
}

size_t trailingSpace(std::string_view text) {
  size_t end = text.size();
  while (end > 0) {
    size_t begin = codePointBefore(text, end), next = begin;
    if (!isPythonSpace(nextCodePoint(text, next)))
      break;
    end = begin;
  }
  work(text.size() - end, priceOfCharacters);
  return text.size() - end;
}

} // namespace transfold::runtime::chat
