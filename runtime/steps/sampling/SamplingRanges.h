// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Valid ranges of the sampling options: one table for the command line, /set in
// a conversation, HTTP requests and the library, so that all of them accept the
// same values. NaN lies in no range.

#pragma once

#include <cstdint>

namespace transfold::runtime::inline steps {

/// An interval [least, most].
template <typename Number> struct NumberRange {
  Number least, most;
  constexpr bool has(Number value) const {
    return value >= least && value <= most;
  }
};

namespace ranges {

/// 0 is greedy; any value above it, however small, samples.
inline constexpr NumberRange<double> temperature = {0, 100};
/// 0: no limit.
inline constexpr NumberRange<int64_t> topK = {0, int64_t{1} << 30};
inline constexpr NumberRange<double> topP = {0, 1};
inline constexpr NumberRange<double> minP = {0, 1};
inline constexpr NumberRange<double> repetitionPenalty = {0.01, 100};
inline constexpr NumberRange<int64_t> beams = {1, 1024};
inline constexpr NumberRange<double> lengthPenalty = {-100, 100};
/// For the number of new tokens, and for the number of tokens per prefill step.
inline constexpr NumberRange<int64_t> tokens = {1, int64_t{1} << 30};

} // namespace ranges

} // namespace transfold::runtime::inline steps
