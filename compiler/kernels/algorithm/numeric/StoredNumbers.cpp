// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The records of the formats with single elements. Formats in blocks have their
// own reader (StoredBlocks.h).

#include "compiler/kernels/algorithm/numeric/StoredNumbers.h"

#include "compiler/kernels/algorithm/numeric/HalideMath.h"

using namespace transfold;
using namespace transfold::kernels;
using Halide::Expr;

/// For elements that are stored as kernels compute with them.
static Expr asItIs(const Expr &place) { return place; }

/// A float16 of Halide's own type; devices get bits instead.
static Expr widenedHalf(const Expr &place) {
  return Halide::cast<float>(place);
}

/// In unrolled loops the half of the pair is a constant.
static Expr bfloatOfPair(const Expr &pair, const Expr &slot) {
  return Halide::reinterpret<float>(
      Halide::select(slot == 0, pair << 16, pair & Expr(uint32_t{0xffff0000})));
}

const StoredNumbers &kernels::storedNumbers(xf::Format format,
                                            bool isOnDevice) {
  static const StoredNumbers floats{Halide::Float(32), asItIs, nullptr, asItIs},
      halves{Halide::Float(16), widenedHalf},
      bitsOfHalves{Halide::UInt(16), widenedFloat16},
      bfloats{Halide::UInt(16), widenedBfloat16, bfloatOfPair, bfloat16Of,
              /*areBfloats=*/true};
  switch (format) {
  case xf::Format::F32:
    return floats;
  case xf::Format::F16:
    return isOnDevice ? bitsOfHalves : halves;
  case xf::Format::BF16:
    return bfloats;
  default:
    llvm_unreachable(
        "#xf.storage refuses f64, and blocks are not single elements");
  }
}

const StoredNumbers &kernels::storedIntegers() {
  static const StoredNumbers integers{Halide::Int(32), asItIs};
  return integers;
}
