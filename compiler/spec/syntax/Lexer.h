// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Splits a spec into tokens. A line end is a token only if it ends a statement,
// so that the parser need not handle white space.

#pragma once

#include "compiler/spec/syntax/Diagnostic.h"
#include "compiler/spec/syntax/Source.h"

#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
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

/// All tokens of a source, the last one being End. Characters that are not part
/// of a token are left out, and added to `errors`; after many errors, the rest
/// of the source is left out.
std::vector<Token> lex(const std::shared_ptr<const Source> &source,
                       Errors &errors);

/// The tokens of `length` bytes from `offset`, which is at `place`: of the text
/// between the braces of a string. Throws SpecError.
std::vector<Token> lexPiece(const Place &place, size_t offset, size_t length);

/// Replaces each piece between underscores that is the name of a Greek letter
/// by the letter: theta_local becomes θ_local.
std::string canonicalName(const std::string &spelling);

/// The name, keyword or number that contains a place, or ends there, as it is
/// written: also in strings and comments.
std::optional<Range> wordAt(const Place &place);

/// The text of a range that lies on one line.
std::string textOf(const Range &range);

/// The words that cannot be names.
const std::set<std::string_view> &keywords();

} // namespace transfold::spec
