// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A string during the rendering of a template. The origin of each byte is
// known, the template or a message: a control token such as <|im_end|> ends a
// turn if the template writes it, and is plain text if a user types it.

#pragma once

#include "runtime/chat/text/Counted.h"

#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

namespace transfold::runtime::chat {

/// Where text comes from: the model's template, or a message or variable of the
/// conversation.
enum class Origin : char { Template, Message };

/// Always UTF-8. Positions are byte offsets; those in Python's functions are
/// code points. All operations that process a text count as work of the
/// rendering.
class Text {
public:
  CountedString bytes;

  Text() = default;
  Text(std::string_view text, Origin origin) : bytes(text), first(origin) {}
  /// A text from the template.
  explicit Text(std::string_view text) : Text(text, Origin::Template) {}

  bool empty() const { return bytes.empty(); }
  size_t size() const { return bytes.size(); }
  std::string_view view() const { return bytes; }

  /// A part of the text, with its origins. `begin` must not exceed the size.
  Text substr(size_t begin, size_t count = std::string::npos) const;
  void append(const Text &other) { append(other, 0, other.size()); }
  /// Appends a part of the other text.
  void append(const Text &other, size_t begin, size_t end);
  void append(std::string_view text, Origin origin);

  /// Message if any part is from a message: for texts that are created from
  /// others, such as JSON.
  Origin origin() const;
  /// The origin of a byte, and whether all bytes of [begin, end) have an
  /// origin.
  Origin originAt(size_t place) const;
  bool isFrom(Origin origin, size_t begin, size_t end) const;
  /// The ranges [begin, end) that have this origin.
  std::vector<std::pair<size_t, size_t>> partsFrom(Origin origin) const;

  /// Number of code points.
  size_t length() const;
  /// Byte offset of code point `index`; the end of the text if it has exactly
  /// `index` code points.
  size_t placeOf(size_t index) const;

  friend bool operator==(const Text &a, const Text &b) {
    return a.size() == b.size() && (work(a.size()), a.bytes == b.bytes);
  }

private:
  /// Origin of the first byte; it alternates at each of `changes`, which are
  /// ascending and inside the text.
  Origin first = Origin::Template;
  CountedVector<size_t> changes;

  /// The origin after `count` changes.
  Origin after(size_t count) const {
    return count % 2 == 0             ? first
           : first == Origin::Message ? Origin::Template
                                      : Origin::Message;
  }
  /// Number of changes at or before `place`.
  size_t changesUpTo(size_t place) const;
  /// Prepares for appending text with this origin.
  void turnTo(Origin origin);
};

/// The code point at byte `at`, which is advanced past it.
char32_t nextCodePoint(std::string_view text, size_t &at);
/// The byte offset of the code point before byte `at`.
size_t codePointBefore(std::string_view text, size_t at);
/// The position of `part` in `text` at or after `from`.
size_t findIn(std::string_view text, std::string_view part, size_t from = 0);
/// Number of bytes of white space at the beginning.
size_t leadingSpace(std::string_view text);
/// Number of bytes of white space at the end.
size_t trailingSpace(std::string_view text);

} // namespace transfold::runtime::chat
