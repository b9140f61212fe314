// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The input of the parsers of expressions.

#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace transfold::tokenizer {

/// The characters of an expression, and the position up to which they are read.
class ExpressionText {
public:
  /// Throws Error if the expression is not UTF-8.
  explicit ExpressionText(const std::string &expression);

  bool atEnd() const { return at == text.size(); }
  /// The next character; 0 at the end.
  char32_t peek(size_t ahead = 0) const {
    return at + ahead < text.size() ? text[at + ahead] : 0;
  }
  /// Consumes the next character, which must exist.
  char32_t take() { return text[at++]; }
  /// Consumes `what` if it comes next.
  bool accept(std::u32string_view what);
  /// The text before `end`; both are consumed. nullopt if `end` does not occur.
  std::optional<std::u32string_view> takeUntil(std::u32string_view end);

  size_t position() const { return at; }
  void goBackTo(size_t position) { at = position; }

  /// Throws Error: `what`, at the current character, is not supported.
  [[noreturn]] void unknown(const char *what) const;

private:
  std::string expression;
  std::u32string text;
  size_t at = 0;
};

} // namespace transfold::tokenizer
