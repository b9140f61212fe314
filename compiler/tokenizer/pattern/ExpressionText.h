// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TRANSFOLD_COMPILER_TOKENIZER_PATTERN_EXPRESSIONTEXT_H
#define TRANSFOLD_COMPILER_TOKENIZER_PATTERN_EXPRESSIONTEXT_H

#include <optional>
#include <string>
#include <string_view>

namespace transfold::tokenizer {

/// The characters of an expression, and how far it is read.
class ExpressionText {
public:
  /// Throws runtime::Error where the expression is not UTF-8.
  explicit ExpressionText(const std::string &expression);

  bool atEnd() const { return at == text.size(); }
  /// The next character; 0 at the end.
  char32_t peek(size_t ahead = 0) const {
    return at + ahead < text.size() ? text[at + ahead] : 0;
  }
  char32_t take() { return text[at++]; }
  bool accept(std::u32string_view what);
  /// What comes before `end`, which is read too; nothing where it does not
  /// come.
  std::optional<std::u32string_view> takeUntil(std::u32string_view end);

  size_t position() const { return at; }
  void goBackTo(size_t position) { at = position; }

  /// Throws runtime::Error, which says what is at the current character.
  [[noreturn]] void unknown(const char *what) const;

private:
  std::string expression;
  std::u32string text;
  size_t at = 0;
};

} // namespace transfold::tokenizer

#endif // TRANSFOLD_COMPILER_TOKENIZER_PATTERN_EXPRESSIONTEXT_H
