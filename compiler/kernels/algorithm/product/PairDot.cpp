// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Definitions write a product of pairs as a quotient of floats with a mark,
// which no pass of LLVM changes.

#include "compiler/kernels/algorithm/product/PairDot.h"

using namespace Halide;
using Internal::Call;

namespace transfold::kernels {

Expr dotOfPairs(const Expr &x, const Expr &w) {
  Expr both = Call::make(Float(32), Call::strict_div,
                         {reinterpret<float>(x), reinterpret<float>(w)},
                         Call::PureIntrinsic);
  return reinterpret<float>(reinterpret<uint32_t>(both) ^ Expr(pairDotMark));
}

Expr dotOfFragments(const Expr &x, const Expr &w) {
  return Call::make(Float(32), dotOfFragmentsName, {x, w}, Call::PureExtern);
}

Expr wordOfPair(const Expr &low, const Expr &high) {
  auto bits = [](const Expr &number) {
    return cast<uint32_t>(reinterpret<uint16_t>(number));
  };
  return bits(low) | bits(high) << Expr(uint32_t{16});
}

} // namespace transfold::kernels
