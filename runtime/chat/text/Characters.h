// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Properties of characters as in Python's str, and case conversion.

#ifndef TRANSFOLD_RUNTIME_CHAT_TEXT_CHARACTERS_H
#define TRANSFOLD_RUNTIME_CHAT_TEXT_CHARACTERS_H

#include "runtime/chat/text/Text.h"

namespace transfold::runtime::chat {

// The predicates of isspace and strip(), isalpha, isdecimal, isdigit,
// isnumeric, isalnum, isprintable.
bool isPythonSpace(char32_t code);
bool isPythonLetter(char32_t code);
bool isPythonDecimal(char32_t code);
bool isPythonDigit(char32_t code);
bool isPythonNumber(char32_t code);
bool isLetterOrNumber(char32_t code);
bool isPrinted(char32_t code);
/// Whether splitlines() treats the character as a line break.
bool isLineEnd(char32_t code);
// The predicates of islower, isupper, and title case.
bool isLowerCase(char32_t code);
bool isUpperCase(char32_t code);
bool isTitleCase(char32_t code);
inline bool isCased(char32_t code) {
  return isLowerCase(code) || isUpperCase(code) || isTitleCase(code);
}

/// Python's lower, upper, capitalize, title and swapcase.
enum class Case { Lower, Upper, Capital, Title, Swapped };
Text inCase(const Text &text, Case form);
/// islower and isupper: whether a text has letters of that case, and none of
/// another case.
bool isAllIn(const Text &text, Case form);

} // namespace transfold::runtime::chat

#endif // TRANSFOLD_RUNTIME_CHAT_TEXT_CHARACTERS_H
