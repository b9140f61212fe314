// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The statistic of repeated measurements: unlike a mean, it ignores a few
// disturbed runs.

#pragma once

#include <algorithm>
#include <vector>

namespace transfold {

/// The median; for an even number of values, the mean of the two in the middle.
/// `values` must not be empty.
inline double median(std::vector<double> values) {
  std::ranges::sort(values);
  size_t middle = values.size() / 2;
  return values.size() % 2 ? values[middle]
                           : (values[middle - 1] + values[middle]) / 2;
}

} // namespace transfold
