// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One rounding function for all types. `std::nearbyint` rounds ties to even in
// the default rounding mode, and dividing by a power of two is exact, so the
// only rounding is that to a multiple of `unit`.

#include "base/numeric/Rounding.h"

#include <algorithm>
#include <cmath>

using namespace transfold;

/// Rounds to a type with `fraction` bits after the binary point and exponents
/// from `smallest` on; smaller values are subnormal.
static double rounded(double x, int fraction, int smallest, double largest) {
  if (x == 0 || !std::isfinite(x))
    return x;
  const int exponent = std::max(std::ilogb(x), smallest);
  const double unit = std::ldexp(1.0, exponent - fraction),
               nearest = std::nearbyint(x / unit) * unit;
  return std::abs(nearest) > largest ? std::copysign(INFINITY, x) : nearest;
}

double transfold::roundedToFloat32(double x) {
  return rounded(x, 23, -126, 0x1.fffffep127);
}
double transfold::roundedToFloat16(double x) {
  return rounded(x, 10, -14, 65504);
}
double transfold::roundedToBfloat16(double x) {
  return rounded(x, 7, -126, 0x1.fep127);
}
