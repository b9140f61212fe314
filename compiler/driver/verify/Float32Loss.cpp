// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/driver/verify/Float32Loss.h"

#include "base/Error.h"
#include "compiler/driver/verify/Compare.h"

#include <algorithm>
#include <cmath>

using namespace transfold;
using namespace transfold::driver;

/// The minimal error assumed for float32: half of its last digit, on both
/// sides.
static constexpr double leastLoss = 0x1p-23;

Float32Loss::Float32Loss(const Outputs &inDouble, const Outputs &inFloat32) {
  std::vector<double> sorted;
  for (const auto &[name, output] : inFloat32) {
    losses[name] = compare(inDouble.at(name).values, output.values).largest;
    if (!std::isfinite(losses[name]))
      fail("{}: cannot be compared for these arguments, since an "
           "intermediate value exceeds the range of float32",
           name);
    sorted.push_back(losses[name]);
  }
  if (sorted.empty())
    return;
  auto middle = sorted.begin() + sorted.size() / 2;
  std::nth_element(sorted.begin(), middle, sorted.end());
  median = std::max(leastLoss, *middle);
}

double Float32Loss::of(const std::string &name) const {
  auto found = losses.find(name);
  return found == losses.end() ? 0 : found->second;
}

double Float32Loss::tolerance(const std::string &name) const {
  return times * std::max(median, of(name));
}

double Float32Loss::beyondUsual(const std::string &name,
                                double tolerance) const {
  const double loss = of(name);
  return loss > median && tolerance == times * loss ? loss : 0;
}
