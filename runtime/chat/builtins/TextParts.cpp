// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions on texts that filters and methods share.

#include "base/Error.h"
#include "runtime/chat/text/Characters.h"
#include "runtime/chat/values/Builtin.h"

#include <algorithm>
#include <set>

namespace transfold::runtime::chat {

namespace {

/// The different characters of a text.
std::set<char32_t> charactersOf(const Text &text) {
  std::set<char32_t> all;
  work(text.size(), priceOfCharacters);
  for (size_t at = 0; at < text.size();)
    all.insert(nextCodePoint(text.bytes, at));
  return all;
}

} // namespace

Text stripped(const Text &text, const Value *characters, bool left,
              bool right) {
  std::string_view bytes = text.bytes;
  size_t begin = 0, end = bytes.size();
  if (!characters || characters->isNone()) {
    if (left)
      begin = leadingSpace(bytes);
    if (right)
      end -= trailingSpace(bytes.substr(begin));
    return text.substr(begin, end - begin);
  }
  std::set<char32_t> set = charactersOf(needText(*characters, "strip"));
  auto isIn = [&](size_t at) { return set.contains(nextCodePoint(bytes, at)); };
  while (left && begin < end && isIn(begin))
    nextCodePoint(bytes, begin);
  while (right && begin < end && isIn(codePointBefore(bytes, end)))
    end = codePointBefore(bytes, end);
  work(bytes.size() - (end - begin), priceOfCharacters);
  return text.substr(begin, end - begin);
}

/// An empty text is replaced before each character, and at the end.
static Text woven(const Text &text, const Text &between, int64_t count) {
  Text result;
  size_t at = 0;
  for (; count != 0 && at <= text.size(); --count) {
    step();
    result.append(between);
    if (at == text.size())
      return result;
    size_t begin = at;
    nextCodePoint(text.bytes, at);
    result.append(text, begin, at);
  }
  result.append(text, std::min(at, text.size()), text.size());
  return result;
}

Text replaced(const Text &text, const Text &old, const Text &replacement,
              int64_t count) {
  if (old.empty())
    return woven(text, replacement, count);
  Text result;
  size_t at = 0;
  for (; count != 0; --count) {
    step();
    size_t found = findIn(text.bytes, old.bytes, at);
    if (found == std::string::npos)
      break;
    result.append(text, at, found);
    result.append(replacement);
    at = found + old.size();
  }
  result.append(text, at, text.size());
  return result;
}

Text joined(const Values &items, const Text &between, bool onlyTexts) {
  Text result;
  bool isFirst = true;
  for (const Value &item : items) {
    step();
    if (!isFirst)
      result.append(between);
    isFirst = false;
    if (onlyTexts)
      result.append(needText(item, "join"));
    else
      result.append(asText(item));
  }
  return result;
}

Values linesOf(const Text &text, bool withEnds) {
  work(text.size(), priceOfCharacters);
  Values lines;
  std::string_view bytes = text.bytes;
  size_t begin = 0;
  for (size_t at = 0, end; (end = at) < bytes.size();) {
    char32_t code = nextCodePoint(bytes, at);
    if (!isLineEnd(code))
      continue;
    at += code == '\r' && at < bytes.size() && bytes[at] == '\n';
    lines.push_back(text.substr(begin, (withEnds ? at : end) - begin));
    begin = at;
  }
  if (begin < bytes.size())
    lines.push_back(text.substr(begin));
  return lines;
}

bool isAllIn(const Text &text, Case form) {
  work(text.size(), priceOfCharacters);
  bool any = false;
  for (size_t at = 0; at < text.size();) {
    char32_t code = nextCodePoint(text.bytes, at);
    bool isOther = form == Case::Lower ? isUpperCase(code) : isLowerCase(code);
    if (isOther || isTitleCase(code))
      return false;
    any |= form == Case::Lower ? isLowerCase(code) : isUpperCase(code);
  }
  return any;
}

} // namespace transfold::runtime::chat
