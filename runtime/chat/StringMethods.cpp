// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Methods of strings, as Python has them.

#include "runtime/Error.h"
#include "runtime/chat/Builtin.h"
#include "runtime/tokenizer/Unicode.h"

#include <algorithm>

namespace transfold::runtime::chat {

Text stripped(const Text &text, const Value *characters, bool left,
              bool right) {
  size_t begin = 0, end = text.size();
  if (!characters || characters->isNone()) {
    if (left)
      begin = leadingSpace(text.bytes);
    if (right && begin < end)
      end -= trailingSpace(std::string_view(text.bytes).substr(begin));
    return text.substr(begin, end - begin);
  }
  const Text &set = needText(*characters, "strip");
  std::vector<size_t> offsets = text.offsets();
  auto isIn = [&](size_t index) {
    std::string_view character =
        std::string_view(text.bytes)
            .substr(offsets[index], offsets[index + 1] - offsets[index]);
    return set.bytes.find(character) != std::string::npos;
  };
  size_t first = 0, last = offsets.size() - 1;
  while (left && first < last && isIn(first))
    ++first;
  while (right && first < last && isIn(last - 1))
    --last;
  return text.substr(offsets[first], offsets[last] - offsets[first]);
}

Text replaced(const Text &text, const Text &old, const Text &replacement,
              int64_t count, Budget &budget) {
  Text result;
  size_t at = 0;
  auto add = [&](const Text &part) {
    budget.make(part.size() + 1);
    result.append(part);
  };
  for (int64_t done = 0; count < 0 || done < count; ++done) {
    size_t found =
        old.empty() ? (done ? at + 1 : 0) : text.bytes.find(old.bytes, at);
    // An empty text is replaced before each character, and at the end.
    while (old.empty() && found < text.size() &&
           (text.bytes[found] & 0xc0) == 0x80)
      ++found;
    if (found == std::string::npos || found > text.size())
      break;
    add(text.substr(at, found - at));
    add(replacement);
    at = found + old.size();
  }
  add(text.substr(std::min(at, text.size())));
  return result;
}

Text joined(std::span<const Value> items, const Text &between, bool onlyTexts,
            Budget &budget) {
  Text result;
  bool isFirst = true;
  for (const Value &item : items) {
    Text part = onlyTexts ? needText(item, "join") : asText(item, budget);
    budget.make(part.size() + between.size());
    if (!isFirst)
      result.append(between);
    result.append(part);
    isFirst = false;
  }
  return result;
}

namespace {

const Text &self(const Bound &given) { return *given[0].text(); }
const Value *optional(const Bound &given, size_t index) {
  return given.has(index) ? &given[index] : nullptr;
}

Value strip(Machine &, const Bound &given) {
  return stripped(self(given), optional(given, 1), true, true);
}
Value lstrip(Machine &, const Bound &given) {
  return stripped(self(given), optional(given, 1), true, false);
}
Value rstrip(Machine &, const Bound &given) {
  return stripped(self(given), optional(given, 1), false, true);
}
Value upper(Machine &, const Bound &given) {
  return inCase(self(given), Case::Upper);
}
Value lower(Machine &, const Bound &given) {
  return inCase(self(given), Case::Lower);
}
Value capitalize(Machine &, const Bound &given) {
  return inCase(self(given), Case::Capital);
}

/// Each run of letters is a word.
Value title(Machine &, const Bound &given) {
  const Text &text = self(given);
  Text result;
  bool inWord = false;
  for (size_t at = 0; at < text.size();) {
    size_t begin = at;
    bool letter = isLetter(nextCodePoint(text.bytes, at));
    result.append(inCase(text.substr(begin, at - begin),
                         letter && !inWord ? Case::Capital : Case::Lower));
    inWord = letter;
  }
  return result;
}

/// startswith and endswith take one text, or a tuple of them.
Value isAtEnd(const Bound &given, bool atBegin) {
  std::string_view text = self(given).bytes;
  auto fits = [&](const Value &part) {
    std::string_view wanted = needText(part, "startswith").bytes;
    return atBegin ? text.starts_with(wanted) : text.ends_with(wanted);
  };
  if (const List *list = given[1].list())
    return std::ranges::any_of(list->items, fits);
  return fits(given[1]);
}
Value startswith(Machine &, const Bound &given) { return isAtEnd(given, true); }
Value endswith(Machine &, const Bound &given) { return isAtEnd(given, false); }

Value removeprefix(Machine &, const Bound &given) {
  std::string_view part = given.text(1, "");
  return self(given).bytes.starts_with(part) ? self(given).substr(part.size())
                                             : self(given);
}
Value removesuffix(Machine &, const Bound &given) {
  std::string_view part = given.text(1, "");
  return self(given).bytes.ends_with(part)
             ? self(given).substr(0, self(given).size() - part.size())
             : self(given);
}

Value replace(Machine &machine, const Bound &given) {
  return replaced(self(given), needText(given[1], "replace"),
                  needText(given[2], "replace"), given.integer(3, -1),
                  machine.budget);
}

/// Words between white space.
std::vector<Value> words(const Text &text, int64_t most, bool fromRight) {
  std::vector<Value> parts;
  Text rest = stripped(text, nullptr, true, true);
  while (!rest.empty() &&
         (most < 0 || static_cast<int64_t>(parts.size()) < most)) {
    size_t cut = std::string::npos,
           next = 0; // white space: where it begins, ends
    for (size_t at = 0; at < rest.size();) {
      size_t begin = at;
      if (!isPythonSpace(nextCodePoint(rest.bytes, at)))
        continue;
      cut = begin;
      next = begin + leadingSpace(std::string_view(rest.bytes).substr(begin));
      if (!fromRight)
        break;
      at = next;
    }
    if (cut == std::string::npos)
      break;
    parts.push_back(fromRight ? rest.substr(next) : rest.substr(0, cut));
    rest = fromRight ? rest.substr(0, cut) : rest.substr(next);
  }
  if (!rest.empty())
    parts.push_back(rest);
  return parts;
}

std::vector<Value> pieces(const Text &text, const std::string &separator,
                          int64_t most, bool fromRight) {
  if (separator.empty())
    fail("split needs a separator that is not empty");
  std::vector<Value> parts;
  size_t begin = 0, end = text.size();
  while (most < 0 || static_cast<int64_t>(parts.size()) < most) {
    if (fromRight) {
      size_t found = end < separator.size()
                         ? std::string::npos
                         : text.bytes.rfind(separator, end - separator.size());
      if (found == std::string::npos)
        break;
      parts.push_back(text.substr(found + separator.size(),
                                  end - found - separator.size()));
      end = found;
    } else {
      size_t found = text.bytes.find(separator, begin);
      if (found == std::string::npos)
        break;
      parts.push_back(text.substr(begin, found - begin));
      begin = found + separator.size();
    }
  }
  parts.push_back(text.substr(begin, end - begin));
  return parts;
}

Value splitFrom(Machine &machine, const Bound &given, bool fromRight) {
  bool bySpace = !given.has(1) || given[1].isNone();
  machine.budget.step(1 + self(given).size() / 16);
  machine.budget.make(self(given).size());
  std::vector<Value> parts =
      bySpace ? words(self(given), given.integer(2, -1), fromRight)
              : pieces(self(given), needText(given[1], "split").bytes,
                       given.integer(2, -1), fromRight);
  machine.budget.make(parts.size() * sizeof(Text));
  if (fromRight)
    std::ranges::reverse(parts);
  return Value::list(std::move(parts));
}
Value split(Machine &machine, const Bound &given) {
  return splitFrom(machine, given, false);
}
Value rsplit(Machine &machine, const Bound &given) {
  return splitFrom(machine, given, true);
}

Value splitlines(Machine &machine, const Bound &given) {
  std::vector<Value> lines;
  const Text &text = self(given);
  for (size_t begin = 0; begin < text.size();) {
    size_t end = std::min(text.bytes.find_first_of("\r\n", begin), text.size());
    size_t next = end + (end < text.size());
    if (text.bytes.compare(end, 2, "\r\n") == 0)
      ++next;
    size_t shown = given.isTrue(1, false) ? next : end;
    lines.push_back(text.substr(begin, shown - begin));
    begin = next;
  }
  machine.budget.make(text.size() + lines.size() * sizeof(Text));
  return Value::list(std::move(lines));
}

/// Code points before byte `place`.
Value position(const Text &text, size_t place) {
  if (place == std::string::npos)
    return int64_t{-1};
  return static_cast<int64_t>(text.substr(0, place).offsets().size()) - 1;
}
Value find(Machine &, const Bound &given) {
  return position(self(given), self(given).bytes.find(given.text(1, "")));
}
Value rfind(Machine &, const Bound &given) {
  return position(self(given), self(given).bytes.rfind(given.text(1, "")));
}
Value index(Machine &machine, const Bound &given) {
  Value place = find(machine, given);
  if (*place.integer() < 0)
    fail("index: the text is not in the string");
  return place;
}

Value count(Machine &machine, const Bound &given) {
  std::string_view part = given.text(1, "");
  if (part.empty())
    return static_cast<int64_t>(self(given).offsets().size());
  int64_t times = 0;
  for (size_t at = 0;
       (at = self(given).bytes.find(part, at)) != std::string::npos; ++times)
    at += part.size();
  machine.budget.step(static_cast<size_t>(times));
  return times;
}

Value join(Machine &machine, const Bound &given) {
  return joined(itemsOf(given[1], machine.budget), self(given), true,
                machine.budget);
}

/// Whether there are characters and all are such.
template <bool (*Holds)(char32_t)> Value all(Machine &, const Bound &given) {
  const Text &text = self(given);
  for (size_t at = 0; at < text.size();)
    if (!Holds(nextCodePoint(text.bytes, at)))
      return false;
  return !text.empty();
}
bool isDigit(char32_t code) { return code >= '0' && code <= '9'; }
bool isLetterOrNumber(char32_t code) {
  return isLetter(code) || isNumber(code);
}

constexpr Builtin table[] = {
    {"capitalize", "self", capitalize},
    {"count", "self part", count},
    {"endswith", "self part", endswith},
    {"find", "self part", find},
    {"index", "self part", index},
    {"isalnum", "self", all<isLetterOrNumber>},
    {"isalpha", "self", all<isLetter>},
    {"isdigit", "self", all<isDigit>},
    {"isspace", "self", all<isPythonSpace>},
    {"join", "self items", join},
    {"lower", "self", lower},
    {"lstrip", "self chars?", lstrip},
    {"removeprefix", "self part", removeprefix},
    {"removesuffix", "self part", removesuffix},
    {"replace", "self old new count?", replace},
    {"rfind", "self part", rfind},
    {"rsplit", "self sep? maxsplit?", rsplit},
    {"rstrip", "self chars?", rstrip},
    {"split", "self sep? maxsplit?", split},
    {"splitlines", "self keepends?", splitlines},
    {"startswith", "self part", startswith},
    {"strip", "self chars?", strip},
    {"title", "self", title},
    {"upper", "self", upper},
};

} // namespace

constinit const std::span<const Builtin> stringMethods = table;

} // namespace transfold::runtime::chat
