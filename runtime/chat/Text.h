// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A string of a template that is being rendered. Each byte knows whether it
// comes from the template or from a message: a control token such as
// <|im_end|> ends a turn where the template writes it, and is plain text where
// a user types it.

#ifndef TRANSFOLD_RUNTIME_CHAT_TEXT_H
#define TRANSFOLD_RUNTIME_CHAT_TEXT_H

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace transfold::runtime::chat {

enum class Origin : char { Template, Message };

/// UTF-8, always. Positions are bytes; those that Python counts are code
/// points, which `offsets` turns into bytes.
struct Text {
  std::string bytes;
  std::string origins; // an Origin for each byte

  Text() = default;
  Text(std::string_view text, Origin origin)
      : bytes(text), origins(text.size(), static_cast<char>(origin)) {}
  /// A text of the template's.
  explicit Text(std::string_view text) : Text(text, Origin::Template) {}

  bool empty() const { return bytes.empty(); }
  size_t size() const { return bytes.size(); }
  Text substr(size_t begin, size_t count = std::string::npos) const;
  void append(const Text &other);
  /// Where a message has a part in it, all of it counts as the message's: for
  /// texts that are made anew, such as JSON.
  Origin origin() const;
  bool isFrom(Origin origin, size_t begin, size_t end) const;
  /// Where each code point begins, and the end.
  std::vector<size_t> offsets() const;
};

/// The code point that begins at byte `at`, and `at` moves behind it.
char32_t nextCodePoint(std::string_view text, size_t &at);
/// What Python's str.isspace and strip() take for white space.
bool isPythonSpace(char32_t code);
/// Bytes of white space at the beginning, and at the end.
size_t leadingSpace(std::string_view text);
size_t trailingSpace(std::string_view text);

/// The text in upper or lower case, and with the first letter in upper case
/// and the rest in lower case. What changes its length counts as a whole.
enum class Case { Upper, Lower, Capital };
Text inCase(const Text &text, Case form);

} // namespace transfold::runtime::chat

#endif // TRANSFOLD_RUNTIME_CHAT_TEXT_H
