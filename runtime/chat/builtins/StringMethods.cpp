// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Methods of strings that split and join them, as in Python.

#include "base/Error.h"
#include "runtime/chat/text/Characters.h"
#include "runtime/chat/values/Builtin.h"

#include <algorithm>

namespace transfold::runtime::chat {

namespace {

/// The string whose method is called.
const Text &self(const Bound &given) { return *given[0].text(); }
/// An argument; null if it was not given.
const Value *optional(const Bound &given, size_t index) {
  return given.has(index) ? &given[index] : nullptr;
}

/// Without an argument, white space is removed.
Value strip(Machine &, const Bound &given) {
  return stripped(self(given), optional(given, 1), true, true);
}
Value lstrip(Machine &, const Bound &given) {
  return stripped(self(given), optional(given, 1), true, false);
}
Value rstrip(Machine &, const Bound &given) {
  return stripped(self(given), optional(given, 1), false, true);
}

Value removeprefix(Machine &, const Bound &given) {
  std::string_view part = given.text(1, "");
  work(part.size());
  return self(given).bytes.starts_with(part) ? self(given).substr(part.size())
                                             : self(given);
}
Value removesuffix(Machine &, const Bound &given) {
  std::string_view part = given.text(1, "");
  work(part.size());
  return self(given).bytes.ends_with(part)
             ? self(given).substr(0, self(given).size() - part.size())
             : self(given);
}

Value replace(Machine &, const Bound &given) {
  return replaced(self(given), needText(given[1], "replace"),
                  needText(given[2], "replace"), given.integer(3, -1));
}

Value join(Machine &, const Bound &given) {
  return joined(itemsOf(given[1]), self(given), true);
}

Value format(Machine &machine, const Bound &given) {
  return formattedBraces(self(given), machine, given.rest);
}

//===----------------------------------------------------------------------===//
// Positions
//===----------------------------------------------------------------------===//

/// The part of a text that find(part, start, end) and similar methods search.
struct Window {
  size_t begin = 0, end = 0; // bytes
  bool isThere = true;       // false: `start` is past the end

  Window(const Bound &given, size_t start, size_t stop)
      : end(self(given).size()) {
    if (!given.has(start) && !given.has(stop))
      return;
    auto count = static_cast<int64_t>(self(given).length());
    auto place = [&](size_t which, int64_t otherwise) {
      int64_t at = given.integer(which, otherwise);
      return std::max<int64_t>(at < 0 ? at + count : at, 0);
    };
    int64_t first = place(start, 0), last = std::min(place(stop, count), count);
    isThere = first <= last;
    begin = self(given).placeOf(static_cast<size_t>(std::min(first, count)));
    end = std::max(begin, self(given).placeOf(static_cast<size_t>(last)));
  }
  std::string_view of(const Text &text) const {
    return text.view().substr(begin, end - begin);
  }
};

/// The position of a byte of the window, in code points; -1 if nothing was
/// found.
Value position(const Bound &given, const Window &window, size_t place) {
  if (!window.isThere || place == std::string::npos)
    return int64_t{-1};
  work(window.begin + place);
  return static_cast<int64_t>(
      std::ranges::count_if(self(given).view().substr(0, window.begin + place),
                            [](char c) { return (c & 0xc0) != 0x80; }));
}

/// The bytes in reverse order, which are not UTF-8; only for searching.
std::string reversed(std::string_view text) {
  work(text.size(), 4);
  return {text.rbegin(), text.rend()};
}

/// The position of the last occurrence of `part`. Searches the reversed texts,
/// which takes linear time.
size_t findLast(std::string_view text, std::string_view part) {
  size_t place = findIn(reversed(text), reversed(part));
  return place == text.npos ? place : text.size() - place - part.size();
}

Value find(Machine &, const Bound &given) {
  Window window(given, 2, 3);
  return position(given, window,
                  findIn(window.of(self(given)), given.text(1, "")));
}
Value rfind(Machine &, const Bound &given) {
  Window window(given, 2, 3);
  return position(given, window,
                  findLast(window.of(self(given)), given.text(1, "")));
}
/// Returns a position, and throws Error for -1, as index() does unlike find().
Value needFound(const Value &place) {
  if (*place.integer() < 0)
    fail("index: the text is not in the string");
  return place;
}
Value index(Machine &machine, const Bound &given) {
  return needFound(find(machine, given));
}
Value rindex(Machine &machine, const Bound &given) {
  return needFound(rfind(machine, given));
}

Value count(Machine &, const Bound &given) {
  Window window(given, 2, 3);
  std::string_view text = window.of(self(given)), part = given.text(1, "");
  if (!window.isThere)
    return int64_t{0};
  if (part.empty()) {
    work(text.size());
    return Value::count(static_cast<size_t>(std::ranges::count_if(
                            text, [](char c) { return (c & 0xc0) != 0x80; })) +
                        1);
  }
  int64_t times = 0;
  for (size_t at = 0; (at = findIn(text, part, at)) != text.npos; ++times)
    at += part.size();
  step(static_cast<size_t>(times));
  return times;
}

/// startswith and endswith accept one text, or a tuple of texts.
Value isAtEnd(const Bound &given, bool atBegin) {
  Window window(given, 2, 3);
  std::string_view text = window.of(self(given));
  auto fits = [&](const Value &part) {
    std::string_view wanted =
        needText(part, atBegin ? "startswith" : "endswith").bytes;
    work(std::min(wanted.size(), text.size()));
    step();
    return window.isThere &&
           (atBegin ? text.starts_with(wanted) : text.ends_with(wanted));
  };
  if (const List *list = given[1].list(); list && list->isTuple())
    return std::ranges::any_of(list->items, fits);
  return fits(given[1]);
}
Value startswith(Machine &, const Bound &given) { return isAtEnd(given, true); }
Value endswith(Machine &, const Bound &given) { return isAtEnd(given, false); }

//===----------------------------------------------------------------------===//
// Parts
//===----------------------------------------------------------------------===//

/// Whether white space begins at byte `at`.
bool isSpaceAt(std::string_view text, size_t at) {
  return isPythonSpace(nextCodePoint(text, at));
}

/// Splits at white space; the rest after `most` splits stays in one piece.
Values words(const Text &text, int64_t most) {
  work(text.size(), priceOfCharacters);
  Values parts;
  std::string_view bytes = text.bytes;
  size_t at = leadingSpace(bytes);
  for (; at < bytes.size() && most != 0; --most) {
    size_t begin = at;
    while (at < bytes.size() && !isSpaceAt(bytes, at))
      nextCodePoint(bytes, at);
    parts.push_back(text.substr(begin, at - begin));
    at += leadingSpace(bytes.substr(at));
  }
  if (at < bytes.size())
    parts.push_back(text.substr(at));
  return parts;
}

/// The same from the end of the text.
Values wordsFromRight(const Text &text, int64_t most) {
  work(text.size(), priceOfCharacters);
  Values parts;
  std::string_view bytes = text.bytes;
  size_t at = bytes.size() - trailingSpace(bytes);
  for (; at > 0 && most != 0; --most) {
    size_t end = at;
    while (at > 0 && !isSpaceAt(bytes, codePointBefore(bytes, at)))
      at = codePointBefore(bytes, at);
    parts.push_back(text.substr(at, end - at));
    at -= trailingSpace(bytes.substr(0, at));
  }
  if (at > 0)
    parts.push_back(text.substr(0, at));
  return parts;
}

/// Splits at `between`, at most `most` times; without a limit if `most` is
/// negative.
Values pieces(const Text &text, std::string_view between, int64_t most) {
  Values parts;
  size_t begin = 0;
  for (; most != 0; --most) {
    size_t end = findIn(text.bytes, between, begin);
    if (end == std::string::npos)
      break;
    parts.push_back(text.substr(begin, end - begin));
    begin = end + between.size();
  }
  parts.push_back(text.substr(begin));
  return parts;
}

/// The same from the end of the text; the pieces are in reverse order.
Values piecesFromRight(const Text &text, std::string_view between,
                       int64_t most) {
  std::string turned = reversed(text.bytes), mark = reversed(between);
  Values parts;
  size_t begin = 0, size = text.size();
  for (; most != 0; --most) {
    size_t end = findIn(turned, mark, begin);
    if (end == std::string::npos)
      break;
    parts.push_back(text.substr(size - end, end - begin));
    begin = end + between.size();
  }
  parts.push_back(text.substr(0, size - begin));
  return parts;
}

/// split() and rsplit(): at white space if there is no separator.
Value splitFrom(const Bound &given, bool fromRight) {
  int64_t most = given.integer(2, -1);
  Values parts;
  if (!given.has(1) || given[1].isNone()) {
    parts = fromRight ? wordsFromRight(self(given), most)
                      : words(self(given), most);
  } else {
    const Text &between = needText(given[1], "split");
    if (between.empty())
      fail("a text cannot be split at an empty one");
    parts = fromRight ? piecesFromRight(self(given), between.bytes, most)
                      : pieces(self(given), between.bytes, most);
  }
  if (fromRight)
    std::ranges::reverse(parts);
  return Value::list(std::move(parts));
}
Value split(Machine &, const Bound &given) { return splitFrom(given, false); }
Value rsplit(Machine &, const Bound &given) { return splitFrom(given, true); }

/// The text before, of and after the first or the last occurrence.
Value partitionAt(const Bound &given, bool last) {
  const Text &text = self(given), &part = needText(given[1], "partition");
  if (part.empty())
    fail("a text cannot be split at an empty one");
  size_t place =
      last ? findLast(text.bytes, part.bytes) : findIn(text.bytes, part.bytes);
  if (place == std::string::npos)
    return last ? Value::tuple({Text(), Text(), text})
                : Value::tuple({text, Text(), Text()});
  return Value::tuple(
      {text.substr(0, place), part, text.substr(place + part.size())});
}
Value partition(Machine &, const Bound &given) {
  return partitionAt(given, false);
}
Value rpartition(Machine &, const Bound &given) {
  return partitionAt(given, true);
}

Value splitlines(Machine &, const Bound &given) {
  return Value::list(linesOf(self(given), given.isTrue(1, false)));
}

constexpr Builtin table[] = {
    {"count", "self part start? end?", count},
    {"endswith", "self part start? end?", endswith},
    {"find", "self part start? end?", find},
    {"format", "self *", format},
    {"index", "self part start? end?", index},
    {"join", "self items", join},
    {"lstrip", "self chars?", lstrip},
    {"partition", "self sep", partition},
    {"removeprefix", "self part", removeprefix},
    {"removesuffix", "self part", removesuffix},
    {"replace", "self old new count?", replace},
    {"rfind", "self part start? end?", rfind},
    {"rindex", "self part start? end?", rindex},
    {"rpartition", "self sep", rpartition},
    {"rsplit", "self sep? maxsplit?", rsplit},
    {"rstrip", "self chars?", rstrip},
    {"split", "self sep? maxsplit?", split},
    {"splitlines", "self keepends?", splitlines},
    {"startswith", "self part start? end?", startswith},
    {"strip", "self chars?", strip},
};

} // namespace

constinit const std::span<const Builtin> stringMethods = table;

} // namespace transfold::runtime::chat
