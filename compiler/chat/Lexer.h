// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The tokens of a Jinja template, as jinja2 cuts them with trim_blocks and
// lstrip_blocks: a line end behind a tag {% … %} is dropped, and so is white
// space before it that begins the line.

#ifndef TRANSFOLD_COMPILER_CHAT_LEXER_H
#define TRANSFOLD_COMPILER_CHAT_LEXER_H

#include "compiler/chat/TemplateError.h"

#include <string>
#include <vector>

namespace transfold::chat {

struct Token {
  enum Kind {
    Text,       // what stands outside of tags
    BeginPrint, // {{
    EndPrint,   // }}
    BeginTag,   // {%
    EndTag,     // %}
    Name,
    String, // its value
    Integer,
    Float,
    Operator,
    End, // of the template
  };
  Kind kind;
  std::string text;
  Place place;

  bool is(Kind wanted, std::string_view spelling) const {
    return kind == wanted && text == spelling;
  }
};

/// The last token is an End. `file` is what messages begin with. Throws
/// TemplateError.
std::vector<Token> tokensOf(std::string_view source, const std::string &file);

} // namespace transfold::chat

#endif // TRANSFOLD_COMPILER_CHAT_LEXER_H
