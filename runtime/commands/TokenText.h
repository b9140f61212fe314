// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tokens as people read them: their place in a text and what stands there.

#ifndef TRANSFOLD_RUNTIME_COMMANDS_TOKENTEXT_H
#define TRANSFOLD_RUNTIME_COMMANDS_TOKENTEXT_H

#include "runtime/tokenizer/Tokenizer.h"

#include <string>
#include <string_view>

namespace transfold::runtime {

/// "4:9", code points as a slice of the text counts them.
std::string placeOf(const Token &token);

/// A text whose pieces are looked up by code points.
class TextPieces {
public:
  /// Throws Error where the text is not UTF-8.
  explicit TextPieces(std::string_view text) : characters(decodeUtf8(text)) {}
  std::string at(const Token &token) const;

private:
  Characters characters;
};

/// A piece of a text for a line of its own: control characters, which could end
/// the line or tell a terminal what to do, are written as \x0a.
std::string inOneLine(std::string_view text);

/// A token as the vocabulary has it, as JSON; null where it has no such id.
std::string jsonOf(const Tokenizer &tokenizer, int32_t id);

} // namespace transfold::runtime

#endif // TRANSFOLD_RUNTIME_COMMANDS_TOKENTEXT_H
