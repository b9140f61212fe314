// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An attention of few queries over many keys: its tasks are parts of the keys.
// With L partial sums across the channels of a key, for part p, over its keys
// m,
//
//   lanes(l, m, n, h) = Σ_b q(b L + l, n, h) k(b L + l, h, m)
//   scores(m, n, h)   = Σ_l lanes
//
// and once all scores are computed, with the maximum over all keys,
//
//   weights(m, n, h)  = 2^((scores - max scores) e)
//   sum_p(n, h)       = Σ weights
//   mix_p(c, n, h)    = Σ weights v(c, h, m)
//
//   result(c, n, h)   = Σ_p mix_p / Σ_p sum_p
//
// A sink is added once, to the sum over all parts.
//
// The parts depend on key positions only, not on the task that computes them.
// Strips of queries, AttentionScores.cpp and AttentionMixture.cpp, compute the
// same sums in the same order.

#include "compiler/kernels/algorithm/attention/AttentionBuilder.h"
#include "compiler/kernels/algorithm/tensor/TensorLabels.h"

using namespace Halide;

namespace transfold::kernels {

Tensor AttentionBuilder::scoresInParts(const Operand &queries,
                                       const Operand &keys,
                                       const Labels &labels) {
  ProductShape shape = shapeOfScores(queries, keys, labels);
  const Channels channels = channelsOf(shape, queries, keys);
  int width = pieces.sumsAcross(channels.count);

  Contraction scores;
  scores.byChannels.channels = channels.count;
  scores.over = RDom(0, channels.count / width, context.uniqueName("over"));
  Var lane("lane");
  std::vector<Var> variables = indexVariables(labels.size());
  Places places(labels, variables);
  places.set(shape.over, scores.over * width + lane);
  const size_t channel = indexOf(keys.labels, shape.over);
  Expr term = channels.product(
      query(scores, queries, channels, places),
      channels.read(keys.tensor, places.of(keys.labels), channel));

  std::vector<Var> pure = innermostFirst(variables, pieces.index());
  std::vector<Var> lanesOfPure = pure;
  lanesOfPure.insert(lanesOfPure.begin(), lane);
  std::vector<Expr> laneArguments(lanesOfPure.begin(), lanesOfPure.end());
  scores.sum = Func(context.uniqueName("sum"));
  scores.sum(lanesOfPure) = 0.0f;
  scores.sum(laneArguments) += term;
  scores.byChannels.halves =
      context.inHalves("product", scores.sum, width, Join::sum());
  laneArguments[0] = 0;
  scores.total = Func(context.uniqueName("total"));
  scores.total(pure) =
      (width == 1 ? scores.sum
                  : scores.byChannels.halves.back())(laneArguments);
  scores.value = Func(context.uniqueName("product"));
  pieces.defineOverKeys(scores.value, variables,
                        entriesOf(scores.total, pieces.index()));
  context.algorithm.contractions.push_back(scores);
  return ofPiece({shape.axes, pieces.entriesOverKeys(scores.value), true});
}

// Defines the sum of each row over its parts, and its inverse.
static void sumRows(AlgorithmContext &context, PartsOfKeys &parts,
                    const AttentionBuilder::Weights &weights,
                    const Labels &rows, const Labels &labels, const RDom &all) {
  std::vector<Var> variables = indexVariables(rows.size());
  std::vector<Var> pure = innermostFirst(variables);
  std::vector<Expr> arguments(pure.begin(), pure.end());
  // Every channel has the sum of its row.
  Places places(rows, variables);
  if (!contains(rows, labels.back()))
    places.set(labels.back(), 0);
  parts.total = Func(context.uniqueName("total"));
  parts.total(pure) = 0.0f;
  parts.total(arguments) +=
      Expr(parts.made(with(innermostFirst(places.of(labels)), Expr(all)))[1]);
  parts.inverse = Func(context.uniqueName("inverse"));
  parts.inverse(pure) = weights.inverse(
      Indices(variables.begin(), variables.end()), parts.total(arguments));
}

// One task computes everything of a part, including the results that other
// tasks read.
Tensor AttentionBuilder::mixtureInParts(const Weights &weights,
                                        const Labels &own,
                                        const Operand &values,
                                        const Labels &labels) {
  ProductShape shape(weights.axes, own, values.tensor.axes, values.labels,
                     labels);
  Labels rows(own.begin(), own.end() - 1);
  std::vector<Var> variables = indexVariables(labels.size());
  Places places(labels, variables);
  std::vector<Var> pure = innermostFirst(variables);
  std::vector<Expr> arguments(pure.begin(), pure.end());
  Indices row = places.of(rows);

  PartsOfKeys parts;
  parts.part = *pieces.index();
  parts.keys = pieces.part();
  parts.heads = weights.axes[0].size;
  parts.scores = weights.scores;
  Expr part = parts.part;
  Contraction mixture;
  mixture.columns = shape.axes.back().size;
  Expr term;
  if (sumsPairs(weights, values)) {
    term = termOfPairs(mixture, weights, own, values, places, part,
                       /*packsValues=*/false);
  } else {
    mixture.over =
        pieces.blocksOfPiece(context.uniqueName("over"), part, pieces.block());
    places.set(shape.over, pieces.keyAt(part, mixture.over.y, mixture.over.x));
    term = weights.numerator(places.of(own)) *
           values.tensor.at(places.of(values.labels));
  }
  mixture.sum = Func(context.uniqueName("sum"));
  mixture.sum(with(pure, parts.part)) = 0.0f;
  mixture.sum(with(arguments, part)) += term;
  parts.made = Func(context.uniqueName("part"));
  parts.made(with(pure, parts.part)) =
      Tuple(mixture.sum(with(arguments, part)), weights.sum.at(row));

  RDom all = pieces.seenParts(context.uniqueName("parts"));
  sumRows(context, parts, weights, rows, labels, all);
  mixture.total = Func(context.uniqueName("mixture"));
  mixture.total(pure) = 0.0f;
  mixture.total(arguments) += Expr(parts.made(with(arguments, Expr(all)))[0]);
  mixture.parts = all;
  mixture.value = Func(context.uniqueName("product"));
  mixture.value(pure) =
      mixture.total(arguments) * parts.inverse(innermostFirst(row));
  context.algorithm.contractions.push_back(mixture);
  context.algorithm.partsOfKeys = parts;
  return {std::move(shape.axes), entriesOf(mixture.value)};
}

} // namespace transfold::kernels
