// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Splits a Jinja template into tokens as jinja2 does with trim_blocks and
// lstrip_blocks: a line end after a tag {% … %} is dropped, and so is white
// space between the beginning of the line and the tag.

#pragma once

#include "compiler/chat/TemplateError.h"

#include <string>
#include <vector>

namespace transfold::chat {

/// A token of a template.
struct Token {
  /// The kinds of tokens. Keywords are names: the parser knows them by their
  /// place.
  enum Kind {
    Text,       // outside of tags
    BeginPrint, // {{
    EndPrint,   // }}
    BeginTag,   // {%
    EndTag,     // %}
    Name,
    String, // the unescaped value
    Integer,
    Float,
    Operator,
    End, // of the template
  };
  Kind kind;
  std::string text;
  Place place;

  /// Whether this is a token of that kind with that text.
  bool is(Kind wanted, std::string_view spelling) const {
    return kind == wanted && text == spelling;
  }
};

/// The tokens of a template; the last one is an End. Messages begin with
/// `file`. Throws TemplateError.
std::vector<Token> tokensOf(std::string_view source, const std::string &file);

} // namespace transfold::chat
