// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Parts of the parser of regular expressions.

#pragma once

#include "runtime/constrain/ConstraintBudget.h"
#include "runtime/constrain/automaton/CodeSet.h"

#include <optional>
#include <string>
#include <string_view>

namespace transfold::runtime::inline constrain {

/// The code points of an expression. Positions in messages count from 1.
class RegexSource {
public:
  /// Throws Error if the text is not UTF-8.
  explicit RegexSource(std::string_view text);

  bool isOver() const { return place == codes.size(); }
  size_t position() const { return place + 1; }
  /// The next code point; 0 at the end.
  char32_t peek() const { return isOver() ? 0 : codes[place]; }
  /// Takes the next code point. Throws Error at the end.
  char32_t take();
  /// Takes the next code point if it is `code`.
  bool take(char32_t code);
  /// For going back.
  size_t mark() const { return place; }
  void goBack(size_t mark) { place = mark; }

private:
  std::u32string codes;
  size_t place = 0;
};

/// {least, most}, *, + or ?; nullopt if there is none. Throws Error.
struct RegexQuantifier {
  uint32_t least, most;
};
std::optional<RegexQuantifier> readQuantifier(RegexSource &source);
/// The characters of what follows "\" outside of a class. Throws Error.
CodeSet readEscape(RegexSource &source);
/// The characters of what follows "[". Throws Error.
CodeSet readClass(RegexSource &source, ConstraintBudget &budget);
/// What "." matches: all but the ends of lines.
const CodeSet &lineCharacters();

} // namespace transfold::runtime::inline constrain
