// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Softmax in double precision, and top-k with a defined order of equal values.

#include "runtime/tasks/text/Ranking.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

namespace transfold::runtime::inline tasks {

std::vector<double> softmax(std::span<const float> logits) {
  std::vector<double> result(logits.begin(), logits.end());
  // Subtracting the largest value keeps exp from overflowing.
  double largest = *std::ranges::max_element(result), sum = 0;
  for (double &value : result)
    sum += value = std::exp(value - largest);
  for (double &value : result)
    value /= sum;
  return result;
}

std::vector<size_t> largest(const std::vector<double> &values, size_t count) {
  std::vector<size_t> places(values.size());
  std::iota(places.begin(), places.end(), size_t{0});
  count = std::min(count, places.size());
  auto middle = places.begin() + static_cast<std::ptrdiff_t>(count);
  std::ranges::partial_sort(places, middle, {}, [&](size_t place) {
    return std::pair(-values[place], place); // equal values: in order
  });
  places.resize(count);
  return places;
}

} // namespace transfold::runtime::inline tasks
