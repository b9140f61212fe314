// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels round and widen numbers by integer operations of Halide. They have
// the bits of base/numeric/Rounding.h for every input: all 2^32 floats, and all
// 2^16 of a format with 16 bits.

#include "base/numeric/Rounding.h"
#include "compiler/kernels/algorithm/numeric/HalideMath.h"

#include <Halide.h>
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>

using namespace transfold;
using namespace transfold::kernels;
using Halide::Buffer;
using Halide::Expr;
using Halide::Func;
using Halide::Var;

namespace {

uint32_t bitsOf(double x) { return std::bit_cast<uint32_t>(float(x)); }

/// The bfloat16 nearest to the float with these bits, by the same arithmetic as
/// RoundingTest compares roundedToBfloat16() with; fast enough for all floats.
uint16_t nearestBfloat16(uint32_t bits) {
  const bool isNaN = (bits & 0x7fffffff) > 0x7f800000;
  const uint32_t nearest = bits + 0x7fff + (bits >> 16 & 1);
  return uint16_t((isNaN ? bits | 0x400000 : nearest) >> 16);
}

TEST(RoundingTwins, ToBfloat16) {
  constexpr int part = 1 << 24;
  Halide::Param<uint32_t> first;
  Func twin;
  Var i;
  twin(i) =
      bfloat16Of(Halide::reinterpret<float>(Halide::cast<uint32_t>(i) + first));
  twin.vectorize(i, 16);
  Buffer<uint16_t> found(part);
  for (uint64_t begin = 0; begin < uint64_t{1} << 32; begin += part) {
    first.set(uint32_t(begin));
    twin.realize(found);
    unsigned different = 0;
    for (int k = 0; k < part; ++k)
      different += found.data()[k] != nearestBfloat16(uint32_t(begin) + k);
    ASSERT_EQ(different, 0u) << "from " << std::hex << begin;
  }
}

TEST(RoundingTwins, AreRoundedAsInBase) {
  for (uint32_t upper = 0; upper < 0x10000; ++upper)
    for (uint32_t lower : {0u, 1u, 0x7fffu, 0x8000u, 0x8001u, 0xffffu}) {
      const uint32_t bits = upper << 16 | lower;
      const float x = std::bit_cast<float>(bits);
      if (!std::isnan(x))
        ASSERT_EQ(bitsOf(roundedToBfloat16(x)),
                  uint32_t{nearestBfloat16(bits)} << 16)
            << std::hex << bits;
    }
}

TEST(RoundingTwins, Widen) {
  constexpr int count = 1 << 16;
  Func half, bfloat;
  Var i;
  Expr bits = Halide::cast<uint16_t>(i);
  half(i) = widenedFloat16(bits);
  bfloat(i) = widenedBfloat16(bits);
  Buffer<float> halves = half.realize({count}),
                bfloats = bfloat.realize({count});
  for (int k = 0; k < count; ++k) {
    const auto wide = float(std::bit_cast<_Float16>(uint16_t(k)));
    if (std::isfinite(wide))
      ASSERT_EQ(bitsOf(halves(k)), bitsOf(wide)) << std::hex << k;
    ASSERT_EQ(std::bit_cast<uint32_t>(bfloats(k)), uint32_t(k) << 16);
  }
}

} // namespace
