// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Products of rows that are rounded to bfloat16 with a matrix of bfloat16 in
// pairs, where the processor has an instruction
//
//   sum + x0 w0 + x1 w1
//
// that Halide does not know. A pair is a word, and the two products of words
// are written as what nobody else writes, as those of bytes are (WordDot.h).
// build/PairDots.h makes the sum that this is added to one instruction.

#include "compiler/kernels/algorithm/PairDotMark.h"
#include "compiler/kernels/algorithm/Product.h"

using namespace Halide;
using Internal::Call;

namespace transfold::kernels {

bool AlgorithmBuilder::Product::isOfPairs() const {
  return rhs.pairs && lhs.narrow;
}

static Expr markedDot(const Expr &x, const Expr &w) {
  Expr both = Call::make(Float(32), Call::strict_div,
                         {reinterpret<float>(x), reinterpret<float>(w)},
                         Call::PureIntrinsic);
  return reinterpret<float>(reinterpret<uint32_t>(both) ^ Expr(pairDotMark));
}

Expr AlgorithmBuilder::dotOfPairs(Product &product, Contraction &contraction) {
  contraction.isPaired = true;
  contraction.prepared =
      ofRows(uniqueName("pairs"), product.lhsLabels, product.shape.over,
             [&](Indices source, const Var &pair) {
               auto half = [&](int slot) {
                 source.back() = pair / pairDistance * (2 * pairDistance) +
                                 pair % pairDistance + slot * pairDistance;
                 return cast<uint32_t>(
                     reinterpret<uint16_t>(product.lhs.narrow(source)));
               };
               Expr low = half(0);
               return low | half(1) << Expr(uint32_t{16});
             });
  Expr column = product.places.at(product.rhsLabels.back());
  return markedDot(contraction.prepared(product.ofRows(product.pair)),
                   product.rhs.pairs({product.pair, column}));
}

} // namespace transfold::kernels
