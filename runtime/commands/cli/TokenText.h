// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tokens for output: their position in a text and the text there.

#pragma once

#include "runtime/tokenizer/Tokenizer.h"

#include <string>
#include <string_view>

namespace transfold::runtime::inline commands {

/// The position as "4:9", in code points, like a slice of the text.
std::string placeOf(const Token &token);

/// A text whose parts are looked up by code points.
class TextPieces {
public:
  /// Throws Error if the text is not UTF-8.
  explicit TextPieces(std::string_view text) : characters(decodeUtf8(text)) {}
  /// The part of the text that a token covers.
  std::string at(const Token &token) const;

private:
  Characters characters;
};

/// A part of a text for output on a single line: control characters, which
/// could end the line or control a terminal, are written as \x0a.
std::string inOneLine(std::string_view text);

/// The text of a token in the vocabulary, as JSON; null if there is no such id.
std::string jsonOf(const Tokenizer &tokenizer, int32_t id);

} // namespace transfold::runtime::inline commands
