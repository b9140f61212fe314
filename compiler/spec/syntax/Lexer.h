// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Splits a spec into tokens. A line end is a token only if it ends a statement,
// so that the parser need not handle white space.

#pragma once

#include "compiler/spec/syntax/Source.h"

#include <memory>
#include <string>
#include <vector>

namespace transfold::spec {

/// The kinds of tokens.
enum class TokenKind {
  Identifier,
  Keyword,
  Number,
  String,
  Operator,
  NewLine,
  End
};

/// A token of a spec.
struct Token {
  TokenKind kind;
  /// The meaning: θ for the identifier `theta`, ∞ for `inf`, the content of a
  /// string.
  std::string text;
  /// The text as written; keys of a configuration are compared by it.
  std::string spelling;
  Range range;
  size_t offset; // of its first byte
};

/// All tokens of a source, the last one being End. Throws SpecError.
std::vector<Token> lex(const std::shared_ptr<const Source> &source);

/// The tokens of `length` bytes from `offset`, which is at `place`: of the text
/// between the braces of a string.
std::vector<Token> lexPiece(const Place &place, size_t offset, size_t length);

/// Replaces each piece between underscores that is the name of a Greek letter
/// by the letter: theta_local becomes θ_local.
std::string canonicalName(const std::string &spelling);

} // namespace transfold::spec
