// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Characters as Python's str sees them: what they are, and their other cases.

#ifndef TRANSFOLD_RUNTIME_CHAT_TEXT_CHARACTERS_H
#define TRANSFOLD_RUNTIME_CHAT_TEXT_CHARACTERS_H

#include "runtime/chat/text/Text.h"

namespace transfold::runtime::chat {

// isspace and strip(), isalpha, isdecimal, isdigit, isnumeric, isalnum,
// isprintable
bool isPythonSpace(char32_t code);
bool isPythonLetter(char32_t code);
bool isPythonDecimal(char32_t code);
bool isPythonDigit(char32_t code);
bool isPythonNumber(char32_t code);
bool isLetterOrNumber(char32_t code);
bool isPrinted(char32_t code);
/// What splitlines() takes for the end of a line.
bool isLineEnd(char32_t code);
// islower, isupper, and title case
bool isLowerCase(char32_t code);
bool isUpperCase(char32_t code);
bool isTitleCase(char32_t code);
inline bool isCased(char32_t code) {
  return isLowerCase(code) || isUpperCase(code) || isTitleCase(code);
}

/// lower, upper, capitalize, title and swapcase of Python.
enum class Case { Lower, Upper, Capital, Title, Swapped };
Text inCase(const Text &text, Case form);
/// islower and isupper: it has letters of that case, and none of another.
bool isAllIn(const Text &text, Case form);

} // namespace transfold::runtime::chat

#endif // TRANSFOLD_RUNTIME_CHAT_TEXT_CHARACTERS_H
