// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The scores of an attention in strips of queries, and the choice between the
// kinds of scores.

#include "compiler/kernels/algorithm/attention/AttentionBuilder.h"
#include "compiler/kernels/algorithm/tensor/TensorLabels.h"

using namespace Halide;

namespace transfold::kernels {

Tensor AttentionBuilder::scores(const Operand &queries, const Operand &keys,
                                const Labels &labels) {
  if (labels.size() < 2 || !contains(keys.labels, labels.back()) ||
      contains(queries.labels, labels.back()))
    throw std::runtime_error("the scores of attention need keys on the right");
  if (context.isOnDevice)
    return scoresOnDevice(queries, keys, labels);
  return pieces.areParts() ? scoresInParts(queries, keys, labels)
                           : scoresOfRows(queries, keys, labels);
}

Expr AttentionBuilder::query(Contraction &scores, const Operand &queries,
                             const Channels &channels, const Places &places) {
  Indices place = places.of(queries.labels);
  if (queries.tensor.isStored && !channels.pairDistance)
    return queries.tensor.at(place);
  std::vector<Var> own = indexVariables(queries.tensor.axes.size());
  const size_t channel = indexOf(queries.labels, channels.label);
  scores.byChannels.queries = Func(context.uniqueName("queries"));
  scores.byChannels.queries(innermostFirst(own)) =
      channels.read(queries.tensor, Indices(own.begin(), own.end()), channel);
  return scores.byChannels.queries(innermostFirst(place));
}

// The keys as panels of one block each: a vector of keys for each channel or
// pair of channels.
Expr AttentionBuilder::keyInPanels(Contraction &scores, const Operand &keys,
                                   const Channels &channels,
                                   const Places &places,
                                   const std::string &key) {
  int width = pieces.block();
  Var lane("lane"), channel("channel"), panel("panel");
  std::vector<Var> variables{lane, channel, panel};
  std::vector<Expr> arguments{places.at(key) % width, places.at(channels.label),
                              places.at(key) / width};
  Indices source;
  size_t axis = 0;
  for (const std::string &label : keys.labels)
    if (label == key) {
      source.push_back(panel * width + lane);
    } else if (label == channels.label) {
      axis = source.size();
      source.push_back(channel);
    } else {
      variables.emplace_back("family" + std::to_string(variables.size()));
      arguments.push_back(places.at(label));
      source.push_back(variables.back());
    }
  scores.panels = Func(context.uniqueName("panels"));
  scores.panels(variables) = channels.read(keys.tensor, source, axis);
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
  scores.byChannels.partials = Func(context.uniqueName("partials"));
  scores.byChannels.partials(pure) = scores.sum(arguments);
  return inTree(scores.byChannels.partials, across, pieces.index());
}

ProductShape AttentionBuilder::shapeOfScores(const Operand &queries,
                                             const Operand &keys,
                                             const Labels &labels) {
  ProductShape shape(queries.tensor.axes, queries.labels, keys.tensor.axes,
                     keys.labels, labels);
  if (shape.summed.isLength())
    throw std::runtime_error("a product over length " + shape.summed.length +
                             " is not a softmax's");
  return shape;
}

Tensor AttentionBuilder::scoresOfRows(const Operand &queries,
                                      const Operand &keys,
                                      const Labels &labels) {
  ProductShape shape = shapeOfScores(queries, keys, labels);
  std::vector<Var> variables = indexVariables(labels.size());
  Places places(labels, variables);
  const Channels channels = channelsOf(shape, queries, keys);
  // Each part sums every `across`-th channel. Reading a score adds these sums.
  int across = pieces.sumsAcross(channels.count);
  Var part("part");
  Contraction scores;
  scores.over = RDom(0, channels.count / across, context.uniqueName("over"));
  places.set(shape.over,
             across > 1 ? scores.over.x * across + part : Expr(scores.over.x));
  Expr key = keyInPanels(scores, keys, channels, places, labels.back());
  Expr term = channels.product(query(scores, queries, channels, places), key);
  scores.byChannels.channels = queries.labels.back() == shape.over
                                   ? channels.count
                                   : queries.tensor.axes.back().size;
  scores.columns = shape.axes.back().size;
  Entry sums = sumScores(scores, variables, term, across, part);
  scores.value = Func(context.uniqueName("product"));
  pieces.defineOverKeys(scores.value, variables, sums);
  context.algorithm.contractions.push_back(scores);
  return ofPiece({shape.axes, entriesOf(scores.value, pieces.index()), true});
}

} // namespace transfold::kernels
