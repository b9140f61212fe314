// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The products of an attention as sums over pairs of bfloat16, where one
// instruction adds both products of a pair (PairDot.h):
//
//   scores(…, n, m)  = Σ_p q(…, n, c) k(…, m, c) + q(…, n, c') k(…, m, c')
//   mixture(…, n, c) = Σ_p w(…, n, m) v(…, m, c) + w(…, n, m') v(…, m', c)
//
// Channels c, c' of a pair are as far apart as the number of sums across
// channels; keys m, m' are half a block apart. So a vector of words of pairs
// consists of two vectors of values.

#include "compiler/kernels/algorithm/attention/AttentionBuilder.h"
#include "compiler/kernels/algorithm/product/PairDot.h"

#include <numeric>

using namespace Halide;

namespace transfold::kernels {

Expr AttentionBuilder::Channels::read(const Tensor &tensor,
                                      const Indices &indices,
                                      size_t axis) const {
  if (!pairDistance)
    return tensor.at(indices);
  const PairsOfChannels pairs{pairDistance};
  Indices low = indices, high = indices;
  low[axis] = pairs.low(indices[axis]);
  high[axis] = pairs.high(indices[axis]);
  return wordOfPair(tensor.narrow(low), tensor.narrow(high));
}

Expr AttentionBuilder::Channels::product(const Expr &query,
                                         const Expr &key) const {
  return pairDistance ? dotOfPairs(query, key) : query * key;
}

AttentionBuilder::Channels
AttentionBuilder::channelsOf(const ProductShape &shape, const Operand &queries,
                             const Operand &keys) const {
  const int count = static_cast<int>(shape.summed.size);
  Channels channels{shape.over, count};
  if (!context.multipliesPairs() || !pieces.index() || !queries.tensor.narrow ||
      !keys.tensor.narrow || count % 2)
    return channels;
  channels.count = count / 2;
  channels.pairDistance = pieces.sumsAcross(channels.count);
  if (channels.pairDistance == 1)
    channels.pairDistance = std::gcd(channels.count, mostPairDistance);
  return channels;
}

bool AttentionBuilder::sumsPairs(const Weights &weights,
                                 const Operand &values) const {
  return context.multipliesPairs() && pieces.index() && weights.areRounded &&
         values.tensor.narrow;
}

Expr AttentionBuilder::termOfPairs(Contraction &mixture, const Weights &weights,
                                   const Labels &own, const Operand &values,
                                   Places places, const Expr &part,
                                   bool packsValues) {
  const int half = pieces.pairsOfBlock();
  const std::string &key = own.back();
  // Weights are floats that hold bfloat16 values: the upper halves of their
  // bits.
  mixture.prepared = Func(context.uniqueName("weight_pairs"));
  pieces.definePairs(mixture.prepared, indexVariables(weights.axes.size()),
                     [&](const Indices &i) {
                       auto bits = [&](const Expr &at) {
                         Indices place = i;
                         place.back() = at;
                         return reinterpret<uint32_t>(weights.numerator(place));
                       };
                       Expr low = bits(i.back()) >> Expr(uint32_t{16});
                       return low | bits(i.back() + half);
                     });
  mixture.over = pieces.blocksOfPiece(context.uniqueName("over"), part, half);
  Expr first = pieces.keyAt(part, mixture.over.y, mixture.over.x);
  auto valuesAt = [&](const Indices &place, size_t axis) {
    Indices other = place;
    other[axis] += half;
    return wordOfPair(values.tensor.narrow(place), values.tensor.narrow(other));
  };
  places.set(key, pieces.pairAt(part, mixture.over.y, mixture.over.x));
  Expr weight = pieces.entriesOfPairs(mixture.prepared)(places.of(own));
  const size_t axis = indexOf(values.labels, key);
  if (!packsValues) {
    places.set(key, first);
    return dotOfPairs(weight, valuesAt(places.of(values.labels), axis));
  }
  std::vector<Var> variables = indexVariables(values.tensor.axes.size());
  Indices place(variables.begin(), variables.end());
  place[axis] = place[axis] / half * (2 * half) + place[axis] % half;
  mixture.panels = Func(context.uniqueName("value_pairs"));
  mixture.panels(innermostFirst(variables)) = valuesAt(place, axis);
  return dotOfPairs(weight,
                    mixture.panels(innermostFirst(places.of(values.labels))));
}

} // namespace transfold::kernels
