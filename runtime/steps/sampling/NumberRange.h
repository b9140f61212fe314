// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Ranges of numbers that requests set. The command line, /set in a
// conversation, HTTP requests and the library read the same ones, so that all
// of them accept the same values. Those of sampling are in SamplingOptions.h.

#pragma once

#include <cstdint>

namespace transfold::runtime::inline steps {

/// An interval [least, most]. NaN lies in no range.
template <typename Number> struct NumberRange {
  Number least, most;
  constexpr bool has(Number value) const {
    return value >= least && value <= most;
  }
};

namespace ranges {

inline constexpr NumberRange<int64_t> beams = {1, 1024};
inline constexpr NumberRange<double> lengthPenalty = {-100, 100};
/// For the number of new tokens, and for the number of tokens per prefill step.
inline constexpr NumberRange<int64_t> tokens = {1, int64_t{1} << 30};

} // namespace ranges

} // namespace transfold::runtime::inline steps
