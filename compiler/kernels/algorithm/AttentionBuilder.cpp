// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/kernels/algorithm/AttentionBuilder.h"

#include "compiler/kernels/algorithm/TensorLabels.h"

using namespace Halide;

namespace transfold::kernels {

static KeyPieces piecesOf(const AlgorithmContext &context, const Axis &rows,
                          const Axis &keys, const KeyLimits &limits) {
  if (context.isOnDevice)
    return {context.extent(keys), context.lanes};
  return {context.extent(rows), context.extent(keys), context.lanes, limits};
}

AttentionBuilder::AttentionBuilder(AlgorithmContext &context, const Axis &rows,
                                   const Axis &keys, const KeyLimits &limits)
    : context(context), pieces(piecesOf(context, rows, keys, limits)) {}

//===----------------------------------------------------------------------===//
// Scores
//===----------------------------------------------------------------------===//

Tensor AttentionBuilder::scores(const Operand &queries, const Operand &keys,
                                const Labels &labels) {
  if (labels.size() < 2 || !contains(keys.labels, labels.back()) ||
      contains(queries.labels, labels.back()))
    throw std::runtime_error("the scores of attention need keys on the right");
  return pieces.areParts() ? scoresInParts(queries, keys, labels)
                           : scoresOfRows(queries, keys, labels);
}

Expr AttentionBuilder::query(Contraction &scores, const Operand &queries,
                             const Places &places) {
  Indices place = places.of(queries.labels);
  if (queries.tensor.isStored)
    return queries.tensor.at(place);
  std::vector<Var> own = indexVariables(queries.tensor.axes.size());
  scores.queries = Func(context.uniqueName("queries"));
  scores.queries(innermostFirst(own)) =
      queries.tensor.at(Indices(own.begin(), own.end()));
  return scores.queries(innermostFirst(place));
}

// Keys as panels of a block: a vector of keys for each channel.
Expr AttentionBuilder::keyInPanels(Contraction &scores, const Operand &keys,
                                   const Places &places, const std::string &key,
                                   const std::string &over) {
  int width = pieces.block();
  Var lane("lane"), channel("channel"), panel("panel");
  std::vector<Var> variables{lane, channel, panel};
  std::vector<Expr> arguments{places.at(key) % width, places.at(over),
                              places.at(key) / width};
  Indices source;
  for (const std::string &label : keys.labels)
    if (label == key) {
      source.push_back(panel * width + lane);
    } else if (label == over) {
      source.push_back(channel);
    } else {
      variables.emplace_back("family" + std::to_string(variables.size()));
      arguments.push_back(places.at(label));
      source.push_back(variables.back());
    }
  scores.panels = Func(context.uniqueName("panels"));
  scores.panels(variables) = keys.tensor.at(source);
  return scores.panels(arguments);
}

// The sum of the `width` entries of `function` along its last argument, in the
// order of AlgorithmContext::inHalves.
static Entry inTree(const Func &function, int width,
                    const std::optional<Var> &piece) {
  return [=](const Indices &i) -> Expr {
    std::vector<Expr> arguments = with(innermostFirst(i, piece), 0), sums;
    for (int k = 0; k < width; ++k) {
      arguments.back() = k;
      sums.push_back(function(arguments));
    }
    for (int half = width / 2; half > 0; half /= 2)
      for (int k = 0; k < half; ++k)
        sums[k] += sums[k + half];
    return sums[0];
  };
}

Entry AttentionBuilder::sumScores(Contraction &scores,
                                  const std::vector<Var> &variables,
                                  const Expr &term, int across,
                                  const Var &part) {
  std::vector<Var> pure = innermostFirst(variables, pieces.index());
  if (across > 1)
    pure.push_back(part);
  std::vector<Expr> arguments(pure.begin(), pure.end());
  scores.sum = Func(context.uniqueName("sum"));
  scores.sum(pure) = 0.0f;
  scores.sum(arguments) += term;
  if (across == 1)
    return entriesOf(scores.sum, pieces.index());
  scores.partials = Func(context.uniqueName("partials"));
  scores.partials(pure) = scores.sum(arguments);
  return inTree(scores.partials, across, pieces.index());
}

Tensor AttentionBuilder::scoresOfRows(const Operand &queries,
                                      const Operand &keys,
                                      const Labels &labels) {
  ProductShape shape(queries.tensor.axes, queries.labels, keys.tensor.axes,
                     keys.labels, labels);
  if (shape.summed.isLength())
    throw std::runtime_error("a product over length " + shape.summed.length +
                             " is not a softmax's");
  std::vector<Var> variables = indexVariables(labels.size());
  Places places(labels, variables);
  int channels = static_cast<int>(shape.summed.size);
  // In parts of every so many channels. What reads the scores adds these sums.
  int across = pieces.sumsAcross(channels);
  Var part("part");
  Contraction scores;
  scores.over = RDom(0, channels / across, context.uniqueName("over"));
  places.set(shape.over,
             across > 1 ? scores.over.x * across + part : Expr(scores.over.x));
  Expr key = keyInPanels(scores, keys, places, labels.back(), shape.over);
  Expr term = query(scores, queries, places) * key;
  scores.channels = queries.tensor.axes.back().size;
  scores.columns = shape.axes.back().size;
  Entry sums = sumScores(scores, variables, term, across, part);
  scores.value = Func(context.uniqueName("product"));
  pieces.defineOverKeys(scores.value, variables, sums);
  context.algorithm.contractions.push_back(scores);
  return ofPiece({shape.axes, entriesOf(scores.value, pieces.index()), true});
}

//===----------------------------------------------------------------------===//
// Weights
//===----------------------------------------------------------------------===//

Tensor AttentionBuilder::ofPiece(Tensor tensor) const {
  tensor.piece = pieces.index();
  return tensor;
}

Tensor AttentionBuilder::keep(const Tensor &rows) {
  if (rows.isStored)
    return rows;
  Func row(context.uniqueName("row"));
  pieces.defineOverKeys(row, indexVariables(rows.axes.size()), rows.at);
  context.algorithm.rows.push_back(row);
  return ofPiece({rows.axes, pieces.entriesOverKeys(row), true});
}

// The rows of tasks that are parts of keys have one maximum, over all parts,
// and a sum for each; those of a strip have a sum over all parts. Scores reach
// to the end of their panel, where the last key stands again and its weight is
// 0.
Tensor AttentionBuilder::reduce(const std::string &operation,
                                const std::vector<Axis> &shape,
                                const Join &join, const Entry &entry) {
  std::vector<Axis> outer(shape.begin(), shape.end() - 1);
  std::vector<Var> indices = indexVariables(outer.size());
  bool isOverAll = pieces.areParts() && join.isInAnyOrder;
  std::optional<Var> piece = isOverAll ? std::nullopt : pieces.index();
  std::vector<Var> rows = innermostFirst(indices, piece);

  RowReduction reduction;
  Var lane("lane"), part("keys_part");
  std::vector<Var> laneVariables = rows;
  laneVariables.insert(laneVariables.begin(), lane);
  Expr ofPart;
  if (isOverAll) {
    // Blocks of a part, and parts.
    int blocks = pieces.part() / pieces.block();
    ofPart = *pieces.index();
    reduction.blocks =
        RDom(0, blocks, 0, pieces.countOfParts(), context.uniqueName("blocks"));
    pieces.limitToSeen(reduction.blocks,
                       reduction.blocks.y * blocks + reduction.blocks.x);
  } else {
    if (pieces.areParts()) {
      ofPart = *pieces.index();
    } else if (pieces.haveSumsInParts() && !join.isInAnyOrder) {
      ofPart = part;
      laneVariables.push_back(part);
      reduction.parts = pieces.seenParts(context.uniqueName("parts"));
    }
    reduction.blocks = pieces.blocksOfPiece(context.uniqueName("blocks"),
                                            ofPart, /*withKeys=*/false);
  }
  Indices place(indices.begin(), indices.end());
  place.push_back(pieces.keyAt(ofPart, reduction.blocks.x, lane));
  Expr term = entry(place);
  if (isOverAll)
    term =
        Internal::substitute(pieces.index()->name(), reduction.blocks.y, term);
  std::vector<Expr> laneArguments(laneVariables.begin(), laneVariables.end());
  reduction.lanes = Func(context.uniqueName(operation + "_lanes"));
  reduction.lanes(laneVariables) = join.start;
  reduction.lanes(laneArguments) =
      join.of(reduction.lanes(laneArguments), term);
  context.reduceLanes(reduction, operation, rows, pieces.block(), join);
  context.algorithm.rowReductions.push_back(reduction);
  Tensor result{std::move(outer), entriesOf(reduction.total, piece), true};
  result.piece = piece;
  return result;
}

AttentionBuilder::Weights AttentionBuilder::weights(const Tensor &scores,
                                                    const Softmax &softmax) {
  Tensor x = keep(scores);
  Weights made;
  made.axes = x.axes;
  made.scores = scores.isStored ? context.algorithm.contractions.back().value
                                : context.algorithm.rows.back();
  Tensor maximum =
      reduce("maximum", x.axes, Join::maximum(),
             [&](const Indices &i) { return softmax.compared(i, x.at(i)); });
  Func weights(context.uniqueName("weights"));
  // Behind the end of a row, up to the end of its panel, weights are 0.
  pieces.defineOverKeys(
      weights, indexVariables(x.axes.size()), [&](const Indices &i) {
        return softmax.weight(i, x.at(i), maximum.at(withoutLast(i)),
                              pieces.countOfKeys());
      });
  context.algorithm.rows.push_back(weights);
  made.numerator = pieces.entriesOverKeys(weights);
  made.sum = reduce("sum", x.axes, Join::sum(), made.numerator);
  made.inverse = [=](const Indices &row, const Expr &sum) {
    return softmax.inverse(row, sum, maximum.at(row));
  };
  if (!pieces.areParts())
    made.inverseOfRow = context.rowNumber("inverse", made.sum, made.inverse);
  return made;
}

//===----------------------------------------------------------------------===//
// Mixture
//===----------------------------------------------------------------------===//

Tensor AttentionBuilder::mixture(const Weights &weights, const Labels &own,
                                 const Operand &values, const Labels &labels) {
  if (own.size() < 2 || labels.empty() || contains(labels, own.back()) ||
      !contains(values.labels, own.back()))
    throw std::runtime_error(
        "values of attention are summed along the rows of its softmax");
  return pieces.areParts() ? mixtureInParts(weights, own, values, labels)
                           : mixtureOfRows(weights, own, values, labels);
}

// Over a length: whole blocks, so that the loop unrolls without a rest. Weights
// are 0 behind its end.
Expr AttentionBuilder::loopOverKeys(Contraction &mixture, const Axis &keys,
                                    const Var &part) {
  if (!keys.isLength()) {
    mixture.over =
        RDom(0, static_cast<int>(keys.size), context.uniqueName("over"));
    return mixture.over.x;
  }
  Expr ofPart;
  if (pieces.haveSumsInParts()) {
    mixture.parts = pieces.seenParts(context.uniqueName("parts"));
    ofPart = part;
  }
  mixture.over = pieces.blocksOfPiece(context.uniqueName("over"), ofPart,
                                      /*withKeys=*/true);
  return pieces.keyAt(ofPart, mixture.over.y, mixture.over.x);
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
  places.set(shape.over, loopOverKeys(mixture, shape.summed, part));
  mixture.channels = weights.axes.back().size;
  mixture.columns = shape.axes.back().size;
  Expr term = weights.numerator(places.of(own)) *
              values.tensor.at(places.of(values.labels));

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
  // What follows has rows, and no strips.
  size_t row =
      std::find(labels.begin(), labels.end(), rows.back()) - labels.begin();
  auto at = [=, result = mixture.value,
             strip = pieces.strip()](const Indices &i) -> Expr {
    return result(with(innermostFirst(i), i[row] / strip));
  };
  return {std::move(shape.axes), at};
}

} // namespace transfold::kernels
