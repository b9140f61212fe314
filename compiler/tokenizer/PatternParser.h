// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The regular expressions that tokenizers are written with, as instructions of
// a machine (runtime/tokenizer/Pattern.h): alternatives, groups, classes of
// characters, repetitions, looking ahead. Nothing refers back to what was
// matched, so neither does this.

#ifndef TRANSFOLD_COMPILER_TOKENIZER_PATTERNPARSER_H
#define TRANSFOLD_COMPILER_TOKENIZER_PATTERNPARSER_H

#include "runtime/tokenizer/Pattern.h"

#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace transfold::tokenizer {

/// Throws runtime::Error where the expression is wrong or uses what is not
/// known here.
runtime::Pattern regex(const std::string &expression);
/// Matches exactly this text.
runtime::Pattern literal(const std::string &text);

class PatternParser {
public:
  /// Throws Error where the text is not UTF-8.
  explicit PatternParser(const std::string &expression);
  runtime::Pattern parse();
  runtime::Pattern parseLiteral();

private:
  using Instruction = runtime::Pattern::Instruction;
  using CharacterClass = runtime::CharacterClass;
  using CharacterSet = runtime::CharacterSet;
  /// Instructions whose targets count from their own beginning, so that they
  /// can be put anywhere, and more than once.
  using Code = std::vector<Instruction>;

  std::string expression;
  std::u32string text;
  size_t at = 0;
  bool anyCase = false;
  size_t depth = 0;
  runtime::Pattern pattern;

  bool atEnd() const { return at == text.size(); }
  bool accept(std::u32string_view what);
  [[noreturn]] void unknown(const char *what) const;

  Code alternatives();
  Code sequence();
  Code repeated();
  Code group();
  Code single();
  Code matching(CharacterSet set);
  Code matching(CharacterClass one);
  CharacterSet bracket();
  CharacterClass escape();
  CharacterClass property(bool negated);
  char32_t hexadecimal();

  struct Times {
    size_t least, most; // `most` may be unlimited
  };
  static constexpr size_t unlimited = std::numeric_limits<size_t>::max();
  std::optional<Times> times();
  std::optional<Times> counted();
  size_t number();
  Code repeat(const Code &code, Times times, bool lazy) const;
  void append(Code &to, const Code &code) const;
};

} // namespace transfold::tokenizer

#endif // TRANSFOLD_COMPILER_TOKENIZER_PATTERNPARSER_H
