// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which numbers say how tokens are chosen: one table for the command line,
// /set of a conversation, requests over HTTP and the library, so that what one
// of them refuses is refused by all. NaN lies in no range.

#ifndef TRANSFOLD_RUNTIME_STEPS_SAMPLINGRANGES_H
#define TRANSFOLD_RUNTIME_STEPS_SAMPLINGRANGES_H

#include <cstdint>

namespace transfold::runtime {

template <typename Number> struct NumberRange {
  Number least, most;
  constexpr bool has(Number value) const {
    return value >= least && value <= most;
  }
};

namespace ranges {

/// 0 draws nothing; what is above it, however small, draws.
inline constexpr NumberRange<double> temperature = {0, 100};
inline constexpr NumberRange<int64_t> topK = {0, int64_t{1} << 30};
inline constexpr NumberRange<double> topP = {0, 1};
inline constexpr NumberRange<double> minP = {0, 1};
inline constexpr NumberRange<double> repetitionPenalty = {0.01, 100};
inline constexpr NumberRange<int64_t> beams = {1, 1024};
inline constexpr NumberRange<double> lengthPenalty = {-100, 100};
/// Of new tokens, and of those that are read at once.
inline constexpr NumberRange<int64_t> tokens = {1, int64_t{1} << 30};

} // namespace ranges

} // namespace transfold::runtime

#endif // TRANSFOLD_RUNTIME_STEPS_SAMPLINGRANGES_H
