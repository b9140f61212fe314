// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Products of rows that are rounded to bfloat16 with a matrix of bfloat16 in
// pairs, where the processor has an instruction
//
//   sum + x0 w0 + x1 w1
//
// that Halide does not know. A pair is a word, and the two products of words
// are written as what nobody else writes, as those of bytes are (WordDot.h).
// build/PairDots.h makes the sum that this is added to one instruction, and
// build/TileCalls.h all sums of a tile one call.
//
// Registers of matrices (AMX's tdpbf16ps) add up otherwise. Of 16 pairs, those
// of 32 numbers, the first ones have a sum and the second ones have one,
//
//   total + ( Σ_{k < 16} x_k w_k + Σ_{16 <= k < 32} x_k w_k )
//
// each product is added by an instruction that rounds once, and then come two
// additions. Forms for few rows do the same without such registers, in floats,
// so that a row has the same bits in all of them.

#include "compiler/kernels/algorithm/PairDotMark.h"
#include "compiler/kernels/algorithm/Product.h"

using namespace Halide;
using Internal::Call;

namespace transfold::kernels {

bool AlgorithmBuilder::Product::isOfPairs() const {
  return rhs.pairs && lhs.narrow;
}

bool AlgorithmBuilder::isInHalves(const Product &product) const {
  return sumsHalves && product.rhs.paired && product.lhs.narrow;
}

void AlgorithmBuilder::sumOverHalves(Product &product,
                                     Contraction &contraction) {
  constexpr int numbers = 2 * pairDistance;
  const int size = static_cast<int>(product.shape.summed.size);
  if (depth != numbers)
    throw std::runtime_error("registers of matrices add up parts of " +
                             std::to_string(numbers));
  contraction.isInHalves = true;
  contraction.over = RDom(0, pairDistance, uniqueName("over"));
  contraction.parts = RDom(0, size / numbers, uniqueName("parts"));
  Var part("part"), half("half");
  product.parts = {part, half};
  product.slot = half;
  product.pair = part * pairDistance + contraction.over.x;
  product.places.set(product.shape.over,
                     part * numbers + half * pairDistance + contraction.over.x);
}

static Expr markedDot(const Expr &x, const Expr &w) {
  Expr both = Call::make(Float(32), Call::strict_div,
                         {reinterpret<float>(x), reinterpret<float>(w)},
                         Call::PureIntrinsic);
  return reinterpret<float>(reinterpret<uint32_t>(both) ^ Expr(pairDotMark));
}

Expr AlgorithmBuilder::dotOfPairs(Product &product, Contraction &contraction) {
  contraction.isOfPairs = true;
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
