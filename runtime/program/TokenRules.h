// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tokens that must come, or must not, whatever the logits say. A model's makers
// say so in its configuration, and its user by options.

#ifndef TRANSFOLD_RUNTIME_PROGRAM_TOKENRULES_H
#define TRANSFOLD_RUNTIME_PROGRAM_TOKENRULES_H

#include "runtime/program/TimeRules.h"

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace transfold::runtime {

struct TokenRules {
  /// What a text begins with behind a prompt of one token (the language of a
  /// translation), and what it ends with where it becomes as long as it may:
  /// one of these. Empty: anything.
  std::vector<int32_t> first = {}, last = {};
  /// Never; and not as the first that the logits choose.
  std::vector<int32_t> suppressed = {}, suppressedFirst = {};
  /// Words of several tokens that are never completed.
  std::vector<std::vector<int32_t>> excluded = {};
  /// Of a text that somebody said, with times; none: without.
  std::optional<TimeRules> times = {};

  /// Whether all tokens may come everywhere.
  bool isEmpty() const {
    return first.empty() && last.empty() && suppressed.empty() &&
           suppressedFirst.empty() && excluded.empty() && !times;
  }

  /// Where the next token comes: behind `tokens`, of which `prompt` were given,
  /// and of `most` new ones at most.
  struct Place {
    std::span<const int32_t> tokens;
    size_t prompt;
    int64_t most;
  };
  /// Whether the text is as long as it may be and one of `last` ends it,
  /// although the likeliest by the scores, before apply(), is none of them.
  bool cuts(std::span<const double> scores, const Place &place) const;
  /// Changes the scores of the next token as transformers does: forced ones
  /// have the logarithm 0, as if they were certain, and others -∞.
  void apply(std::span<double> scores, const Place &place) const;

private:
  bool forcesLast(const Place &place) const;
};

} // namespace transfold::runtime

#endif // TRANSFOLD_RUNTIME_PROGRAM_TOKENRULES_H
