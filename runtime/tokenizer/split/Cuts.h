// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A text split at delimiters, and what is done with the delimiters.

#pragma once

#include "base/text/Unicode.h"
#include "runtime/tokenizer/characters/Pattern.h"

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace transfold::runtime::inline tokenizer {

/// Receives the words of a text one by one, so that the words of a long text
/// are never all in memory. An exception that it throws ends the work.
class WordSink {
public:
  virtual ~WordSink() = default;
  /// Receives the next word.
  virtual void take(Characters word) = 0;
};

/// Collects the positions at which a text is split.
class Cuts {
public:
  /// What is done with delimiters; examples for "-" in "a--b".
  enum Keep : uint8_t {
    Removed,            // a b
    Isolated,           // a - - b
    MergedWithPrevious, // a- - b
    MergedWithNext,     // a - -b
    Contiguous,         // a -- b
  };
  /// The value for a name in tokenizer.json; nullopt if it is unknown.
  static std::optional<Keep> keepNamed(std::string_view name);

  explicit Cuts(const Characters &text) : text(text) {}

  /// Each match is a delimiter; if `inverted`, the text between matches is.
  Cuts &atMatches(const std::vector<Pattern::Match> &matches, bool inverted);
  /// Each character that satisfies the predicate is a delimiter.
  template <typename Predicate> Cuts &atCharacters(Predicate isDelimiter) {
    std::vector<Pattern::Match> matches;
    for (size_t i = 0; i < text.size(); ++i)
      if (isDelimiter(text[i].code))
        matches.push_back({i, i + 1});
    return atMatches(matches, false);
  }

  /// Passes the words, which are not empty, to `words`.
  void words(Keep keep, WordSink &words) const;

private:
  /// A part of the text: the characters [begin, end), one delimiter or text
  /// between two.
  struct Part {
    size_t begin, end;
    bool delimiter;
  };
  const Characters &text;
  std::vector<Part> parts;

  /// The parts, with delimiters joined to neighbors as `keep` says.
  std::vector<Part> merged(Keep keep) const;
};

} // namespace transfold::runtime::inline tokenizer
