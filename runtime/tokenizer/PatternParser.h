// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A regular expression as the instructions of Pattern.

#ifndef TRANSFOLD_RUNTIME_TOKENIZER_PATTERNPARSER_H
#define TRANSFOLD_RUNTIME_TOKENIZER_PATTERNPARSER_H

#include "runtime/tokenizer/Pattern.h"

#include <limits>

namespace transfold::runtime {

class PatternParser {
public:
  /// Throws Error where the text is not UTF-8.
  explicit PatternParser(const std::string &expression);
  Pattern parse();

  static Pattern literal(const std::string &text);

private:
  using Instruction = Pattern::Instruction;
  /// Instructions whose targets count from their own beginning, so that they
  /// can be put anywhere, and more than once.
  using Code = std::vector<Instruction>;

  std::string expression;
  std::u32string text;
  size_t at = 0;
  bool anyCase = false;
  size_t depth = 0;
  Pattern pattern;

  bool atEnd() const { return at == text.size(); }
  bool accept(std::u32string_view what);
  [[noreturn]] void unknown(const char *what) const;

  Code alternatives();
  Code sequence();
  Code repeated();
  Code group();
  Code single();
  Code matching(CharacterSet set);
  CharacterSet bracket();
  CharacterSet escape();
  CharacterSet property(bool negated);
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

} // namespace transfold::runtime

#endif // TRANSFOLD_RUNTIME_TOKENIZER_PATTERNPARSER_H
