// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A string of a template that is being rendered. Each byte knows whether it
// comes from the template or from a message: a control token such as
// <|im_end|> ends a turn where the template writes it, and is plain text where
// a user types it.

#ifndef TRANSFOLD_RUNTIME_CHAT_TEXT_TEXT_H
#define TRANSFOLD_RUNTIME_CHAT_TEXT_TEXT_H

#include "runtime/chat/text/Counted.h"

#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

namespace transfold::runtime::chat {

enum class Origin : char { Template, Message };

/// UTF-8, always. Positions are bytes; those that Python counts are code
/// points. All that goes through a text counts as work of its rendering.
class Text {
public:
  CountedString bytes;

  Text() = default;
  Text(std::string_view text, Origin origin) : bytes(text), first(origin) {}
  /// A text of the template's.
  explicit Text(std::string_view text) : Text(text, Origin::Template) {}

  bool empty() const { return bytes.empty(); }
  size_t size() const { return bytes.size(); }
  std::string_view view() const { return bytes; }

  Text substr(size_t begin, size_t count = std::string::npos) const;
  void append(const Text &other) { append(other, 0, other.size()); }
  /// A part of the other.
  void append(const Text &other, size_t begin, size_t end);
  void append(std::string_view text, Origin origin);

  /// Where a message has a part in it, all of it counts as the message's: for
  /// texts that are made anew, such as JSON.
  Origin origin() const;
  Origin originAt(size_t place) const;
  bool isFrom(Origin origin, size_t begin, size_t end) const;
  /// [begin, end) of all parts that are from `origin`.
  std::vector<std::pair<size_t, size_t>> partsFrom(Origin origin) const;

  /// Code points.
  size_t length() const;
  /// Where code point `index` begins, or the end of a text that has so many.
  size_t placeOf(size_t index) const;

  friend bool operator==(const Text &a, const Text &b) {
    return a.size() == b.size() && (work(a.size()), a.bytes == b.bytes);
  }

private:
  /// Of the first byte; at each of `changes`, which ascend and lie inside, it
  /// becomes the other one.
  Origin first = Origin::Template;
  CountedVector<size_t> changes;

  Origin after(size_t count) const {
    return count % 2 == 0             ? first
           : first == Origin::Message ? Origin::Template
                                      : Origin::Message;
  }
  /// How many changes are at `place` or before it.
  size_t changesUpTo(size_t place) const;
  /// What is appended next is from `origin`.
  void turnTo(Origin origin);
};

/// The code point that begins at byte `at`, and `at` moves behind it.
char32_t nextCodePoint(std::string_view text, size_t &at);
/// Of the code point before byte `at`: where it begins.
size_t codePointBefore(std::string_view text, size_t at);
/// Where `part` is found in `text` at `from` or behind it.
size_t findIn(std::string_view text, std::string_view part, size_t from = 0);
/// Bytes of white space at the beginning, and at the end.
size_t leadingSpace(std::string_view text);
size_t trailingSpace(std::string_view text);

} // namespace transfold::runtime::chat

#endif // TRANSFOLD_RUNTIME_CHAT_TEXT_TEXT_H
