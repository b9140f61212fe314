// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The regular expressions that tokenizers are written with: alternatives,
// groups, classes of characters, repetitions, looking ahead and behind. Nothing
// refers back to what was matched, so neither does this.

#ifndef TRANSFOLD_RUNTIME_TOKENIZER_CHARACTERS_PATTERN_H
#define TRANSFOLD_RUNTIME_TOKENIZER_CHARACTERS_PATTERN_H

#include "runtime/tokenizer/characters/Unicode.h"

#include <cstdint>
#include <optional>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

namespace transfold::runtime {

/// A class of characters: ranges, and general categories of Unicode.
struct CharacterClass {
  /// Sorted, and none in another.
  std::vector<std::pair<char32_t, char32_t>> ranges;
  /// Bit k: the category that utf8proc numbers k.
  uint32_t categories = 0;
  bool space = false; // White_Space
  bool negated = false;

  static auto fields(auto &self) {
    return std::tie(self.ranges, self.categories, self.space, self.negated);
  }

  bool contains(char32_t code) const;
};

/// What an instruction compares a character with: "[ab\S\d]" is the class of
/// a and b with two others.
struct CharacterSet {
  CharacterClass own;
  std::vector<CharacterClass> others;
  bool negated = false; // with all others
  bool anyCase = false;

  static auto fields(auto &self) {
    return std::tie(self.own, self.others, self.negated, self.anyCase);
  }

  bool contains(char32_t code) const;

private:
  bool containsAsIs(char32_t code) const;
};

/// An expression as the instructions of a machine, which the compiler makes of
/// it (compiler/tokenizer/pattern/PatternParser.h).
struct Pattern {
  struct Instruction {
    enum Kind : uint8_t {
      Set,         // one character of set `a`
      Split,       // go on at `a`; where that fails, at `b`
      Jump,        // go on at `a`
      Ahead,       // what follows must match [here + 1, a)
      NoAhead,     // and must not
      Behind,      // what is before must match it; `b`: of which lengths
      NoBehind,    // and must not
      Moved,       // go on; at `a` where nothing matched since mark `b` was set
      Atomic,      // match [here + 1, a), and never try another way
      Mark,        // set mark `b` to this place in the text
      WordEdge,    // one of the two characters beside it is in set `a`
      NoWordEdge,  // both are, or none
      Start,       // of the text
      End,         // of the text
      LineStart,   // after the end of a line, or the text's start
      LineEnd,     // before the end of a line, or the text's
      LastLineEnd, // the text's end, or before an end of a line there
      Found,
    } kind;
    uint32_t a = 0, b = 0;

    bool hasSet() const {
      return kind == Set || kind == WordEdge || kind == NoWordEdge;
    }
    bool hasMark() const { return kind == Mark || kind == Moved; }
    /// Whether `a` is an instruction; `b` is one of Split alone.
    bool hasTarget() const { return kind >= Split && kind <= Atomic; }

    static auto fields(auto &self) {
      return std::tie(self.kind, self.a, self.b);
    }
  };
  /// The most characters that Behind looks at.
  static constexpr uint32_t furthestBehind = 0xffff;
  /// `b` of Behind: matches have `least` to `most` characters.
  static uint32_t behindLengths(uint32_t least, uint32_t most) {
    return least << 16 | most;
  }

  std::vector<Instruction> program;
  std::vector<CharacterSet> sets;
  uint32_t marks = 0; // how many there are

  static auto fields(auto &self) {
    return std::tie(self.program, self.sets, self.marks);
  }
  void check() const;

  struct Match {
    size_t begin, end;
  };
  /// All matches, from left to right, none in another. Throws Error where the
  /// expression takes out of proportion long for the text.
  std::vector<Match> matches(std::span<const Character> text) const;

private:
  class Run;
};

} // namespace transfold::runtime

#endif // TRANSFOLD_RUNTIME_TOKENIZER_CHARACTERS_PATTERN_H
