// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The regular expressions that tokenizers use: alternatives, groups, character
// classes, repetitions, lookahead and lookbehind. Back references do not occur
// and are not supported.

#pragma once

#include "base/text/Unicode.h"

#include <cstdint>
#include <optional>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

namespace transfold::runtime::inline tokenizer {

/// A character class: ranges, and general categories of Unicode.
struct CharacterClass {
  /// Sorted and disjoint.
  std::vector<std::pair<char32_t, char32_t>> ranges;
  /// Bit k: category number k of utf8proc.
  uint32_t categories = 0;
  bool space = false; // White_Space
  bool negated = false;

  static auto fields(auto &self) {
    return std::tie(self.ranges, self.categories, self.space, self.negated);
  }

  bool contains(char32_t code) const;
};

/// The set with which an instruction compares a character: "[ab\S\d]" is the
/// class of a and b and two other classes.
struct CharacterSet {
  CharacterClass own;
  std::vector<CharacterClass> others;
  bool negated = false; // applies to the union of all classes
  bool anyCase = false;

  static auto fields(auto &self) {
    return std::tie(self.own, self.others, self.negated, self.anyCase);
  }

  bool contains(char32_t code) const;

private:
  bool containsAsIs(char32_t code) const;
};

/// An expression as instructions of a matching machine, which the compiler
/// generates (compiler/tokenizer/pattern/PatternParser.h).
struct Pattern {
  struct Instruction {
    enum Kind : uint8_t {
      Set,      // one character of set `a`
      Split,    // continue at `a`; if that fails, at `b`
      Jump,     // continue at `a`
      Ahead,    // the following text must match [here + 1, a)
      NoAhead,  // it must not match
      Behind,   // the preceding text must match; `b`: the possible lengths
      NoBehind, // it must not match
      Moved,  // continue; at `a` if nothing was matched since mark `b` was set
      Atomic, // match [here + 1, a) without backtracking into it
      Mark,   // set mark `b` to the current position
      WordEdge,    // exactly one of the two adjacent characters is in set `a`
      NoWordEdge,  // both or neither are
      Start,       // the start of the text
      End,         // the end of the text
      LineStart,   // after a line break, or at the start of the text
      LineEnd,     // before a line break, or at the end of the text
      LastLineEnd, // at the end of the text, or before a final line break
      Found,
    } kind;
    uint32_t a = 0, b = 0;

    bool hasSet() const {
      return kind == Set || kind == WordEdge || kind == NoWordEdge;
    }
    bool hasMark() const { return kind == Mark || kind == Moved; }
    /// Whether `a` is the index of an instruction; `b` is one only for Split.
    bool hasTarget() const { return kind >= Split && kind <= Atomic; }

    static auto fields(auto &self) {
      return std::tie(self.kind, self.a, self.b);
    }
  };
  /// Maximum number of characters for lookbehind.
  static constexpr uint32_t furthestBehind = 0xffff;
  /// Value of `b` for Behind: matches have `least` to `most` characters.
  static uint32_t behindLengths(uint32_t least, uint32_t most) {
    return least << 16 | most;
  }

  std::vector<Instruction> program;
  std::vector<CharacterSet> sets;
  uint32_t marks = 0; // number of marks

  static auto fields(auto &self) {
    return std::tie(self.program, self.sets, self.marks);
  }
  /// Throws Error if the program is damaged.
  void check() const;

  /// The characters [begin, end) of a text.
  struct Match {
    size_t begin, end;
  };
  /// All non-overlapping matches from left to right. Throws Error if matching
  /// takes disproportionately long for the text.
  std::vector<Match> matches(std::span<const Character> text) const;

private:
  class Run;
};

} // namespace transfold::runtime::inline tokenizer
