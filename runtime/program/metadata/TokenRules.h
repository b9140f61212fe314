// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tokens that are forced or excluded regardless of the logits. They come from a
// model's configuration and from the user's options.

#pragma once

#include "runtime/program/metadata/TimeRules.h"

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace transfold::runtime::inline program {

/// All ids must be valid for the model (TokenIds.h): they are used as indices.
struct TokenRules {
  /// The first token after a prompt of one token (the language of a
  /// translation), and the last token of a text that reaches its maximum
  /// length: one of these. Empty: any token.
  std::vector<int32_t> first = {}, last = {};
  /// Tokens that are never generated, and tokens that are not generated as the
  /// first one chosen by the logits.
  std::vector<int32_t> suppressed = {}, suppressedFirst = {};
  /// Words of several tokens that are never completed.
  std::vector<std::vector<int32_t>> excluded = {};
  /// For transcriptions with timestamps; nullopt: without.
  std::optional<TimeRules> times = {};

  /// Whether no rule restricts any token.
  bool isEmpty() const {
    return first.empty() && last.empty() && suppressed.empty() &&
           suppressedFirst.empty() && excluded.empty() && !times;
  }

  /// The position of the next token: after `tokens`, of which the first
  /// `prompt` were given; at most `most` new ones are generated.
  struct Place {
    std::span<const int32_t> tokens;
    size_t prompt;
    int64_t most;
  };
  /// Whether the text reaches its maximum length and one of `last` is forced,
  /// although the most likely token by the scores, before apply(), is not one
  /// of them.
  bool cuts(std::span<const double> scores, const Place &place) const;
  /// Changes the scores of the next token as transformers does: forced tokens
  /// get the log probability 0, all others -∞.
  void apply(std::span<double> scores, const Place &place) const;

private:
  /// Whether the next token is the last that may be generated, and must be one
  /// of `last`.
  bool forcesLast(const Place &place) const;
};

} // namespace transfold::runtime::inline program
