// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The mixture of an attention in strips of queries, and the choice between the
// kinds of mixture.

#include "compiler/kernels/algorithm/attention/AttentionBuilder.h"
#include "compiler/kernels/algorithm/tensor/TensorLabels.h"

using namespace Halide;

namespace transfold::kernels {

Tensor AttentionBuilder::mixture(const Weights &weights, const Labels &own,
                                 const Operand &values, const Labels &labels) {
  if (own.size() < 2 || labels.empty() || contains(labels, own.back()) ||
      !contains(values.labels, own.back()))
    throw std::runtime_error(
        "values of attention are summed along the rows of its softmax");
  if (canGoAlong(weights, own, values, labels))
    return mixtureOnline(weights, own, values, labels);
  if (context.isOnDevice)
    return mixtureOfRows(weightsOf(*weights.x, *weights.softmax, weights.end),
                         own, values, labels);
  return pieces.areParts() ? mixtureInParts(weights, own, values, labels)
                           : mixtureOfRows(weights, own, values, labels);
}

// A length is summed in whole blocks, so that the loop unrolls without a
// remainder. Weights are 0 past its end.
Expr AttentionBuilder::termOverKeys(Contraction &mixture,
                                    const Weights &weights, const Labels &own,
                                    const Operand &values, Places places,
                                    const Axis &keys, const Var &part) {
  auto termAt = [&](const Expr &key) {
    places.set(own.back(), key);
    return weights.numerator(places.of(own)) *
           values.tensor.at(places.of(values.labels));
  };
  const bool inPairs = sumsPairs(weights, values);
  if (!keys.isLength() && !inPairs) {
    mixture.over =
        RDom(0, static_cast<int>(keys.size), context.uniqueName("over"));
    return termAt(mixture.over.x);
  }
  Expr ofPart;
  if (pieces.haveSumsInParts()) {
    mixture.parts = pieces.seenParts(context.uniqueName("parts"));
    ofPart = part;
  }
  if (inPairs)
    return termOfPairs(mixture, weights, own, values, places, ofPart,
                       /*packsValues=*/true);
  mixture.over =
      pieces.blocksOfPiece(context.uniqueName("over"), ofPart, pieces.block());
  return termAt(pieces.keyAt(ofPart, mixture.over.y, mixture.over.x));
}

Tensor AttentionBuilder::mixtureOfRows(const Weights &weights,
                                       const Labels &own, const Operand &values,
                                       const Labels &labels) {
  ProductShape shape(weights.axes, own, values.tensor.axes, values.labels,
                     labels);
  std::vector<Var> variables = indexVariables(labels.size());
  Places places(labels, variables);
  Contraction mixture;
  Var part("part");
  Expr term =
      termOverKeys(mixture, weights, own, values, places, shape.summed, part);
  mixture.byChannels.channels = weights.axes.back().size;
  mixture.columns = shape.axes.back().size;

  std::vector<Var> pure = innermostFirst(variables, pieces.index());
  std::vector<Expr> arguments(pure.begin(), pure.end());
  mixture.sum = Func(context.uniqueName("sum"));
  Expr sum;
  if (mixture.parts.defined()) {
    mixture.sum(with(pure, part)) = 0.0f;
    mixture.sum(with(arguments, part)) += term;
    mixture.total = Func(context.uniqueName("total"));
    mixture.total(pure) = 0.0f;
    mixture.total(arguments) += mixture.sum(with(arguments, mixture.parts));
    sum = mixture.total(arguments);
  } else {
    mixture.sum(pure) = 0.0f;
    mixture.sum(arguments) += term;
    sum = mixture.sum(arguments);
  }
  mixture.value = Func(context.uniqueName("product"));
  Labels rows(own.begin(), own.end() - 1);
  mixture.value(pure) = sum * weights.inverseOfRow->at(places.of(rows));
  context.algorithm.contractions.push_back(mixture);
  if (!pieces.index())
    return {std::move(shape.axes), entriesOf(mixture.value)};
  // The operations that follow have rows, but no strips.
  const size_t row = indexOf(labels, rows.back());
  auto at = [=, result = mixture.value,
             strip = pieces.strip()](const Indices &i) -> Expr {
    return result(with(innermostFirst(i), i[row] / strip));
  };
  return {std::move(shape.axes), at};
}

} // namespace transfold::kernels
