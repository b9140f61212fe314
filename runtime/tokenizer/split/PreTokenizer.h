// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How a text is cut into the words that the model sees one by one: steps, each
// of which cuts the words of the one before.

#ifndef TRANSFOLD_RUNTIME_TOKENIZER_SPLIT_PRETOKENIZER_H
#define TRANSFOLD_RUNTIME_TOKENIZER_SPLIT_PRETOKENIZER_H

#include "runtime/tokenizer/characters/Pattern.h"
#include "runtime/tokenizer/characters/Unicode.h"
#include "runtime/tokenizer/split/Cuts.h"

#include <optional>
#include <tuple>
#include <variant>
#include <vector>

namespace transfold::runtime {

/// At white space, and around each punctuation character, as BERT does.
struct CutAsBert {
  static auto fields(auto &) { return std::tuple(); }
  void split(const Characters &text, WordSink &words) const;
};

/// Stretches of word characters, and of others that are no white space.
struct CutIntoStretches {
  static auto fields(auto &) { return std::tuple(); }
  void split(const Characters &text, WordSink &words) const;
};

/// At each character of a kind.
struct CutAtKind {
  enum Kind : uint8_t { Whitespace, Punctuation, Number, One } kind;
  char32_t one; // of kind One
  Cuts::Keep keep;

  static auto fields(auto &self) {
    return std::tie(self.kind, self.one, self.keep);
  }
  void split(const Characters &text, WordSink &words) const;
};

/// At each match of an expression, or, inverted, at what lies between.
struct CutAtMatches {
  Pattern pattern;
  Cuts::Keep keep;
  bool invert;

  static auto fields(auto &self) {
    return std::tie(self.pattern, self.keep, self.invert);
  }
  void split(const Characters &text, WordSink &words) const;
};

/// Around each match of an expression; then each byte as a character one can
/// see (ByteLevel.h).
struct CutIntoBytes {
  std::optional<Pattern> pattern;
  bool addSpace; // before a text that begins with none

  static auto fields(auto &self) {
    return std::tie(self.pattern, self.addSpace);
  }
  void split(Characters text, WordSink &words) const;
};

/// Spaces become a mark that one can see, and words begin with it.
struct CutAtMarkedSpaces {
  char32_t mark;
  enum Prepend : uint8_t { Always, First, Never } prepend;
  bool cut;

  static auto fields(auto &self) {
    return std::tie(self.mark, self.prepend, self.cut);
  }
  void split(Characters text, WordSink &words) const;
};

struct PreTokenizer {
  using Step = std::variant<CutAsBert, CutIntoStretches, CutAtKind,
                            CutAtMatches, CutIntoBytes, CutAtMarkedSpaces>;
  std::vector<Step> steps;

  static auto fields(auto &self) { return std::tie(self.steps); }

  /// Hands on the words of a text; none is empty. Throws Error where the text
  /// becomes out of proportion long.
  void split(Characters text, WordSink &words) const;
};

} // namespace transfold::runtime

#endif // TRANSFOLD_RUNTIME_TOKENIZER_SPLIT_PRETOKENIZER_H
