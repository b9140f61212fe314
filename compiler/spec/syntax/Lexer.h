// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The words of a spec. Line ends are tokens only where they end a statement, so
// that the parser never has to think of white space.

#ifndef TRANSFOLD_COMPILER_SPEC_SYNTAX_LEXER_H
#define TRANSFOLD_COMPILER_SPEC_SYNTAX_LEXER_H

#include "compiler/spec/syntax/Source.h"

#include <memory>
#include <string>
#include <vector>

namespace transfold::spec {

enum class TokenKind {
  Identifier,
  Keyword,
  Number,
  String,
  Operator,
  NewLine,
  End
};

struct Token {
  TokenKind kind;
  /// What it means: θ for the identifier `theta`, ∞ for `inf`, the content of a
  /// string.
  std::string text;
  /// What is written; keys of a configuration are compared by this.
  std::string spelling;
  Range range;
  size_t offset; // of its first byte
};

/// All tokens of a source, the last one being End. Throws SpecError.
std::vector<Token> lex(const std::shared_ptr<const Source> &source);

/// The tokens of `length` bytes from `offset`, which is at `place`: what stands
/// between the braces of a string.
std::vector<Token> lexPiece(const Place &place, size_t offset, size_t length);

/// Every piece between underscores by its Greek letter: theta_local is θ_local.
std::string canonicalName(const std::string &spelling);

} // namespace transfold::spec

#endif // TRANSFOLD_COMPILER_SPEC_SYNTAX_LEXER_H
