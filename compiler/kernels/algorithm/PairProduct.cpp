// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Products of rows that are rounded to bfloat16 with a matrix of bfloat16 in
// pairs, where the processor has an instruction for a pair that Halide does not
// know (PairDot.h).

#include "compiler/kernels/algorithm/PairDot.h"
#include "compiler/kernels/algorithm/Product.h"

using namespace Halide;

namespace transfold::kernels {

bool AlgorithmBuilder::Product::isOfPairs() const {
  return rhs.pairs && lhs.narrow;
}

Expr AlgorithmBuilder::dotOfPairs(Product &product, Contraction &contraction) {
  contraction.isPaired = true;
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
