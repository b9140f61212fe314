// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The regular expressions that tokenizers are written with: alternatives,
// groups, classes of characters, repetitions, looking ahead. Nothing refers
// back to what was matched, so neither does this.

#ifndef TRANSFOLD_RUNTIME_TOKENIZER_PATTERN_H
#define TRANSFOLD_RUNTIME_TOKENIZER_PATTERN_H

#include "runtime/tokenizer/Unicode.h"

#include <nlohmann/json_fwd.hpp>

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace transfold::runtime {

/// A set of characters: ranges, and general categories of Unicode.
struct CharacterSet {
  std::vector<std::pair<char32_t, char32_t>> ranges;
  /// Bit k: the category that utf8proc numbers k.
  uint32_t categories = 0;
  bool space = false;               // White_Space
  std::vector<CharacterSet> others; // "[\S\d]"
  bool negated = false;
  bool anyCase = false;

  bool contains(char32_t code) const;

private:
  bool containsAsIs(char32_t code) const;
};

class Pattern {
public:
  /// Throws Error where the expression is wrong or uses what is not known
  /// here.
  static Pattern regex(const std::string &expression);
  /// Exactly this text.
  static Pattern literal(const std::string &text);
  /// {"String": …} or {"Regex": …}.
  static Pattern read(const nlohmann::json &settings);

  struct Match {
    size_t begin, end;
  };
  /// All matches, from left to right, none in another. Throws Error where the
  /// expression takes out of proportion long for the text.
  std::vector<Match> matches(std::span<const Character> text) const;

private:
  friend class PatternParser;

  struct Instruction {
    enum Kind : uint8_t {
      Set,     // one character of set `a`
      Split,   // go on at `a`; where that fails, at `b`
      Jump,    // go on at `a`
      Ahead,   // what follows must match [here + 1, a)
      NoAhead, // and must not
      Atomic,  // match [here + 1, a), and never try another way
      Start,   // of the text
      End,     // of the text
      Found,
    } kind;
    uint32_t a = 0, b = 0;
  };
  std::vector<Instruction> program;
  std::vector<CharacterSet> sets;

  class Run;
};

} // namespace transfold::runtime

#endif // TRANSFOLD_RUNTIME_TOKENIZER_PATTERN_H
