// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How strings of JSON are written (RFC 8259, section 7).

#pragma once

#include "runtime/constrain/automaton/CodeSet.h"

#include <string>
#include <string_view>

namespace transfold::runtime::inline constrain {

/// The characters that must be escaped: controls, the quote, the backslash.
const CodeSet &escapedInJson();
/// The one escape that is used for such a character where the text of a string
/// matters: the short one if there is one.
std::string jsonEscape(char32_t code);
/// A text as it is written between the quotes, with these escapes.
std::string jsonText(std::string_view text);
/// Every way to write one code point between the quotes, as a regular
/// expression; a character beyond U+FFFF may be two escapes.
extern const std::string_view anyJsonCharacter;

} // namespace transfold::runtime::inline constrain
