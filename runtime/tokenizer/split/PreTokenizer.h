// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Splitting of a text into the words that the model processes one by one:
// steps, each of which splits the words of the preceding one.

#pragma once

#include "base/text/Unicode.h"
#include "runtime/tokenizer/characters/Pattern.h"
#include "runtime/tokenizer/split/Cuts.h"

#include <optional>
#include <tuple>
#include <variant>
#include <vector>

namespace transfold::runtime::inline tokenizer {

/// Splits at white space, and around each punctuation character, as BERT does.
struct CutAsBert {
  static auto fields(auto &) { return std::tuple(); }
  void split(const Characters &text, WordSink &words) const;
};

/// Splits into runs of word characters, and of other characters except white
/// space.
struct CutIntoStretches {
  static auto fields(auto &) { return std::tuple(); }
  void split(const Characters &text, WordSink &words) const;
};

/// Splits at each character of a kind.
struct CutAtKind {
  enum Kind : uint8_t { Whitespace, Punctuation, Number, One } kind;
  char32_t one; // for kind One
  Cuts::Keep keep;

  static auto fields(auto &self) {
    return std::tie(self.kind, self.one, self.keep);
  }
  void split(const Characters &text, WordSink &words) const;
};

/// Splits at each match of an expression, or, inverted, at the text between
/// matches.
struct CutAtMatches {
  Pattern pattern;
  Cuts::Keep keep;
  bool invert;

  static auto fields(auto &self) {
    return std::tie(self.pattern, self.keep, self.invert);
  }
  void split(const Characters &text, WordSink &words) const;
};

/// Splits around each match of an expression, and then replaces each byte by a
/// printable character (ByteLevel.h).
struct CutIntoBytes {
  std::optional<Pattern> pattern;
  bool addSpace; // before a text that does not begin with one

  static auto fields(auto &self) {
    return std::tie(self.pattern, self.addSpace);
  }
  void split(Characters text, WordSink &words) const;
};

/// Replaces spaces by a printable mark; words begin with it.
struct CutAtMarkedSpaces {
  char32_t mark;
  enum Prepend : uint8_t { Always, First, Never } prepend;
  bool cut;

  static auto fields(auto &self) {
    return std::tie(self.mark, self.prepend, self.cut);
  }
  void split(Characters text, WordSink &words) const;
};

/// The steps of the splitting.
struct PreTokenizer {
  using Step = std::variant<CutAsBert, CutIntoStretches, CutAtKind,
                            CutAtMatches, CutIntoBytes, CutAtMarkedSpaces>;
  std::vector<Step> steps;

  static auto fields(auto &self) { return std::tie(self.steps); }

  /// Passes the words of a text, which are not empty, to `words`. Throws Error
  /// if the text becomes disproportionately long.
  void split(Characters text, WordSink &words) const;
};

} // namespace transfold::runtime::inline tokenizer
