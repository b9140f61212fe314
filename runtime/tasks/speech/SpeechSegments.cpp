// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Cuts the tokens where two times meet, and determines the next window. Times
// come from a model, and may lie outside of the window.

#include "runtime/tasks/speech/SpeechSegments.h"

#include <algorithm>
#include <iterator>

namespace transfold::runtime::inline tasks {

namespace {

/// The tokens that are not times.
std::vector<int32_t> textOf(std::span<const int32_t> tokens, int32_t times) {
  std::vector<int32_t> result;
  std::ranges::copy_if(tokens, std::back_inserter(result),
                       [=](int32_t token) { return token < times; });
  return result;
}

} // namespace

WindowSegments segmentsOf(std::span<const int32_t> tokens, int32_t times,
                          int64_t length) {
  WindowSegments result{{}, length};
  const size_t count = tokens.size();
  auto isTime = [&](size_t i) { return tokens[i] >= times; };
  auto stepOf = [&](size_t i) { return int64_t{tokens[i]} - times; };
  const bool endsWithOneTime =
      count >= 2 && isTime(count - 1) && !isTime(count - 2);
  // Two adjacent times end one segment and begin the next.
  std::vector<size_t> cuts;
  for (size_t i = 1; i < count; ++i)
    if (isTime(i - 1) && isTime(i))
      cuts.push_back(i);
  if (cuts.empty()) {
    // A time at the front is the beginning; the last time after it is the end.
    int64_t begin = count && isTime(0) ? stepOf(0) : 0, end = length;
    for (size_t i = 1; i < count; ++i)
      if (isTime(i))
        end = stepOf(i);
    if (begin >= length)
      begin = 0;
    result.segments.push_back({begin, end, textOf(tokens, times)});
    return result;
  }
  // A single time at the end means that no speech follows it.
  if (endsWithOneTime)
    cuts.push_back(count);
  size_t from = 0;
  for (size_t cut : cuts) {
    int64_t begin = isTime(from) ? stepOf(from) : 0;
    int64_t end = isTime(cut - 1) ? stepOf(cut - 1) : length;
    result.segments.push_back(
        {begin, end, textOf(tokens.subspan(from, cut - from), times)});
    from = cut;
  }
  if (!endsWithOneTime)
    // What follows the last pair of times is not complete.
    result.next = stepOf(from - 1);
  if (result.next < 1 || result.next > length)
    result.next = length;
  return result;
}

} // namespace transfold::runtime::inline tasks
