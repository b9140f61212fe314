// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Products of rows that are rounded to bfloat16 with a bfloat16 matrix in
// pairs, where the processor has an instruction for a pair that Halide does not
// know (PairDot.h). build/llvm/PairDots.cpp replaces each addition of such a
// product to a sum by this instruction, and build/tiles/TileCalls.h replaces
// all sums of a tile by one call.
//
// Matrix registers (AMX's tdpbf16ps) add in another order. Of 16 pairs, the
// products of 32 values, the first values of the pairs have one sum and the
// second values another,
//
//   total + ( Σ_{k < 16} x_k w_k + Σ_{16 <= k < 32} x_k w_k )
//
// where each product is added by an instruction that rounds once, followed by
// two additions. Variants for few rows compute the same without matrix
// registers, in floats, so that a row has the same bits in all variants.

#include "compiler/kernels/algorithm/product/PairDot.h"
#include "compiler/kernels/algorithm/product/Product.h"

using namespace Halide;

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
  contraction.terms = PairTerms::Halves;
  contraction.over = RDom(0, pairDistance, uniqueName("over"));
  contraction.parts = RDom(0, size / numbers, uniqueName("parts"));
  Var part("part"), half("half");
  product.parts = {part, half};
  product.slot = half;
  product.pair = part * pairDistance + contraction.over.x;
  product.places.set(product.shape.over,
                     part * numbers + half * pairDistance + contraction.over.x);
}

Expr AlgorithmBuilder::dotOfPairs(Product &product, Contraction &contraction) {
  contraction.terms = PairTerms::Words;
  contraction.prepared =
      ofRows(uniqueName("pairs"), product.lhsLabels, product.shape.over,
             [&](Indices source, const Var &pair) {
               auto of = [&](const Expr &channel) {
                 source.back() = channel;
                 return product.lhs.narrow(source);
               };
               constexpr PairsOfChannels pairs{pairDistance};
               Expr low = of(pairs.low(pair));
               return wordOfPair(low, of(pairs.high(pair)));
             });
  Expr column = product.places.at(product.rhsLabels.back());
  return kernels::dotOfPairs(contraction.prepared(product.ofRows(product.pair)),
                             product.rhs.pairs({product.pair, column}));
}

} // namespace transfold::kernels
