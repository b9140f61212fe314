// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Properties of characters as in Python's str, and case conversion.

#pragma once

#include "runtime/chat/text/Text.h"

namespace transfold::runtime::chat {

/// White space for isspace() and strip().
bool isPythonSpace(char32_t code);
/// Letters: isalpha().
bool isPythonLetter(char32_t code);
/// Decimal digits: isdecimal().
bool isPythonDecimal(char32_t code);
/// Digits, such as ²: isdigit().
bool isPythonDigit(char32_t code);
/// Numbers, such as 三: isnumeric().
bool isPythonNumber(char32_t code);
/// Letters and numbers: isalnum().
bool isLetterOrNumber(char32_t code);
/// Printable characters: isprintable().
bool isPrinted(char32_t code);
/// Whether splitlines() treats the character as a line break.
bool isLineEnd(char32_t code);
/// Lower case: islower().
bool isLowerCase(char32_t code);
/// Upper case: isupper().
bool isUpperCase(char32_t code);
/// Title case: general category Lt.
bool isTitleCase(char32_t code);
/// Whether a character has a case.
inline bool isCased(char32_t code) {
  return isLowerCase(code) || isUpperCase(code) || isTitleCase(code);
}

/// Python's lower, upper, capitalize, title and swapcase.
enum class Case { Lower, Upper, Capital, Title, Swapped };
/// The text in that case.
Text inCase(const Text &text, Case form);
/// islower and isupper: whether a text has letters of that case, and none of
/// another case.
bool isAllIn(const Text &text, Case form);

} // namespace transfold::runtime::chat
