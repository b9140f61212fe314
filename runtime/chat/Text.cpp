// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/chat/Text.h"

#include "runtime/tokenizer/Unicode.h"

#include <utf8proc.h>

#include <algorithm>

namespace transfold::runtime::chat {

Text Text::substr(size_t begin, size_t count) const {
  Text part;
  part.bytes = bytes.substr(begin, count);
  part.origins = origins.substr(begin, count);
  return part;
}

void Text::append(const Text &other) {
  bytes += other.bytes;
  origins += other.origins;
}

Origin Text::origin() const {
  return isFrom(Origin::Template, 0, size()) ? Origin::Template
                                             : Origin::Message;
}

bool Text::isFrom(Origin origin, size_t begin, size_t end) const {
  return std::all_of(origins.begin() + static_cast<std::ptrdiff_t>(begin),
                     origins.begin() + static_cast<std::ptrdiff_t>(end),
                     [&](char c) { return c == static_cast<char>(origin); });
}

std::vector<size_t> Text::offsets() const {
  std::vector<size_t> result;
  for (size_t i = 0; i < bytes.size(); ++i)
    if ((bytes[i] & 0xc0) != 0x80)
      result.push_back(i);
  result.push_back(bytes.size());
  return result;
}

char32_t nextCodePoint(std::string_view text, size_t &at) {
  utf8proc_int32_t code = 0;
  auto length = utf8proc_iterate(
      reinterpret_cast<const utf8proc_uint8_t *>(text.data() + at),
      static_cast<utf8proc_ssize_t>(text.size() - at), &code);
  at += length > 0 ? static_cast<size_t>(length) : 1;
  return length > 0 ? static_cast<char32_t>(code) : U'\xFFFD';
}

bool isPythonSpace(char32_t code) {
  return isWhitespace(code) || (code >= 0x1c && code <= 0x1f);
}

size_t leadingSpace(std::string_view text) {
  size_t at = 0;
  while (at < text.size()) {
    size_t next = at;
    if (!isPythonSpace(nextCodePoint(text, next)))
      break;
    at = next;
  }
  return at;
}

size_t trailingSpace(std::string_view text) {
  size_t end = text.size();
  while (end > 0) {
    size_t begin = end - 1;
    while (begin > 0 && (text[begin] & 0xc0) == 0x80)
      --begin;
    size_t next = begin;
    if (!isPythonSpace(nextCodePoint(text, next)))
      break;
    end = begin;
  }
  return text.size() - end;
}

Text inCase(const Text &text, Case form) {
  Text result;
  for (size_t at = 0; at < text.size();) {
    size_t begin = at;
    auto code = static_cast<utf8proc_int32_t>(nextCodePoint(text.bytes, at));
    bool upper = form == Case::Upper || (form == Case::Capital && begin == 0);
    std::string changed;
    // The one letter of common use whose upper case is two.
    if (upper && code == 0xdf)
      changed = form == Case::Capital ? "Ss" : "SS";
    else
      appendUtf8(changed,
                 static_cast<char32_t>(upper ? form == Case::Capital
                                                   ? utf8proc_totitle(code)
                                                   : utf8proc_toupper(code)
                                             : utf8proc_tolower(code)));
    result.bytes += changed;
    result.origins.append(changed.size(), text.origins[begin]);
  }
  return result;
}

} // namespace transfold::runtime::chat
