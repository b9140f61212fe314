// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rounding to fewer bits, compared with bit arithmetic: for every upper half of
// a float, the lower halves at and next to the boundaries.

#include "base/numeric/Rounding.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>

using namespace transfold;

namespace {

constexpr uint32_t lowerHalves[] = {0,      1,      0x0fff, 0x1000, 0x1001,
                                    0x7fff, 0x8000, 0x8001, 0xefff, 0xffff};

template <typename Check> void forEachFloat(Check check) {
  for (uint32_t upper = 0; upper < 0x10000; ++upper)
    for (uint32_t lower : lowerHalves)
      check(upper << 16 | lower);
}

bool isSame(double a, double b) {
  return std::isnan(a)
             ? std::isnan(b) && std::signbit(a) == std::signbit(b)
             : std::bit_cast<uint64_t>(a) == std::bit_cast<uint64_t>(b);
}

// Half of the last unit is added, less one bit if it is already even; the carry
// of the largest value makes infinity. NaN has no neighbors.
TEST(Rounding, ToBfloat16) {
  forEachFloat([](uint32_t bits) {
    const double x = std::bit_cast<float>(bits), found = roundedToBfloat16(x);
    if (std::isnan(x)) {
      EXPECT_TRUE(std::isnan(found)) << std::hex << bits;
      return;
    }
    const uint32_t nearest = bits + 0x7fff + (bits >> 16 & 1);
    ASSERT_TRUE(isSame(found, std::bit_cast<float>(nearest & 0xffff0000)))
        << std::hex << bits;
  });
  // These were once rounded to -0, 0 and infinity.
  for (uint32_t bits : {0x7fffffffu, 0xffffffffu, 0x7f800001u})
    EXPECT_TRUE(std::isnan(roundedToBfloat16(std::bit_cast<float>(bits))));
}

TEST(Rounding, ToFloat16) {
  forEachFloat([](uint32_t bits) {
    const float x = std::bit_cast<float>(bits);
    const double found = roundedToFloat16(x);
    ASSERT_TRUE(std::isnan(x) ? std::isnan(found)
                              : isSame(found, static_cast<_Float16>(x)))
        << std::hex << bits;
  });
}

TEST(Rounding, ToFloat32) {
  forEachFloat([](uint32_t bits) {
    const double x = std::bit_cast<float>(bits);
    ASSERT_TRUE(std::isnan(x) ? std::isnan(roundedToFloat32(x))
                              : isSame(roundedToFloat32(x), x))
        << std::hex << bits;
    for (double near : {x * (1 + 0x1p-25), x * (1 + 0x1p-24), x * 0.7, x * 3})
      ASSERT_TRUE(std::isnan(x) ||
                  isSame(roundedToFloat32(near), static_cast<float>(near)))
          << std::hex << bits;
  });
}

} // namespace
