// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A cursor over the characters of an expression.

#include "compiler/tokenizer/pattern/ExpressionText.h"

#include "base/Error.h"
#include "base/text/Unicode.h"

namespace transfold::tokenizer {

ExpressionText::ExpressionText(const std::string &expression)
    : expression(expression) {
  for (const Character &character : decodeUtf8(expression))
    text += character.code;
}

bool ExpressionText::accept(std::u32string_view what) {
  if (!std::u32string_view(text).substr(at).starts_with(what))
    return false;
  at += what.size();
  return true;
}

std::optional<std::u32string_view>
ExpressionText::takeUntil(std::u32string_view end) {
  const size_t found = text.find(end, at);
  if (found == text.npos)
    return std::nullopt;
  auto before = std::u32string_view(text).substr(at, found - at);
  at = found + end.size();
  return before;
}

void ExpressionText::unknown(const char *what) const {
  fail("the regular expression '{}' is not supported: {} at "
       "character {}; `eval` takes ids instead of text",
       expression, what, at + 1);
}

} // namespace transfold::tokenizer
