// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An attention on a device iterates over the keys once, in parts p of 64 keys
// m:
//
//   scores(m, n)    = Σ_c q(n, c) k(m, c)
//   maximum(n, p)   = max of the part's scores
//   weights(n, m)   = 2^(exponent (scores - maximum))
//   sum(n, p)       = Σ weights
//   mixture(c, n, p) = Σ weights v(m, c)
//
// The results of the parts so far are scaled for the largest score so far; when
// a part is added, the side with the smaller maximum is scaled down:
//
//   M' = max(M, maximum)      a = 2^(exponent (M - M'))
//                             b = 2^(exponent (maximum - M'))
//   S' = a S + b sum          X'(c) = a X(c) + b mixture(c)
//
//   result(c, n) = X(c) · factor / S
//
// (Milakov and Gimelshein 2018; Dao et al. 2022.) Only the scores and weights
// of one part exist at a time. Keys that the mask hides from all rows of a
// strip are not computed, as on a processor (KeyPieces.h). This file has the
// scores and the weights of a part; mixtures, and how parts are joined, are in
// MixtureOnline.cpp.

#include "compiler/kernels/algorithm/attention/AttentionBuilder.h"
#include "compiler/kernels/algorithm/product/DeviceTiles.h"

using namespace Halide;

namespace transfold::kernels {

/// Number of partial maxima and sums of a row.
constexpr int lanesOfRow = 4;

// The entries of an operand in memory; otherwise of a function of its own
// (`made`), so that, for example, a rotation is computed once.
static Entry entryOf(AlgorithmContext &context, const Tensor &tensor,
                     const char *name, Func &made) {
  if (tensor.isStored)
    return tensor.at;
  made = Func(context.uniqueName(name));
  std::vector<Var> own = indexVariables(tensor.axes.size());
  made(innermostFirst(own)) = tensor.at(Indices(own.begin(), own.end()));
  return entriesOf(made);
}

/// A tile has whole blocks of rows and keys; those past the end must read valid
/// memory, and what they compute is discarded.
Entry upToLast(const Entry &entry, size_t axis, const Expr &count) {
  return [=](Indices i) {
    i[axis] = min(i[axis], count - 1);
    return entry(i);
  };
}

Entry AttentionBuilder::ofSharedHeads(const Operand &operand, Places &places,
                                      const std::string &head) const {
  if (!limits.shared || !contains(operand.labels, head))
    return operand.tensor.at;
  places.set(head, places.at(head) / limits.shared);
  return [axis = indexOf(operand.labels, head), all = operand.tensor.at,
          shared = limits.shared](Indices i) {
    i[axis] *= shared;
    return all(i);
  };
}

Tensor AttentionBuilder::scoresOnDevice(const Operand &queries,
                                        const Operand &keys,
                                        const Labels &labels) {
  ProductShape shape = shapeOfScores(queries, keys, labels);
  const std::string &row = labels[labels.size() - 2], &key = labels.back();
  if (!contains(queries.labels, row))
    throw std::runtime_error("the scores of attention need rows on the left");
  std::vector<Var> variables = indexVariables(labels.size());
  Places places(labels, variables);
  Contraction scores;
  scores.over =
      RDom(0, static_cast<int>(shape.summed.size), context.uniqueName("over"));
  places.set(shape.over, scores.over.x);
  // In strips, rotated operands are computed once for all blocks. In parts,
  // each entry of a key is read by one block only, and queries are few.
  auto entry = [&](const Operand &operand, const char *name, Func &made) {
    return limits.shared ? operand.tensor.at
                         : entryOf(context, operand.tensor, name, made);
  };
  Entry query = upToLast(entry(queries, "queries", scores.byChannels.queries),
                         indexOf(queries.labels, row),
                         context.extent(shape.axes[labels.size() - 2]));
  DeviceTile rows = deviceTileOf(context.uniqueName("tile"), queries.labels,
                                 row, shape.over, places, query);
  Operand all = keys;
  all.tensor.at = upToLast(entry(keys, "keys", scores.panels),
                           indexOf(keys.labels, key), pieces.countOfKeys());
  Entry ofHeads = ofSharedHeads(all, places, labels.front());
  DeviceTile columns = deviceTileOf(context.uniqueName("tile"), keys.labels,
                                    key, shape.over, places, ofHeads);
  scores.device.tileOfRows = rows.function;
  scores.device.tileOfColumns = columns.function;
  scores.byChannels.channels = shape.summed.size;
  scores.columns = shape.axes.back().size;
  std::vector<Var> pure = innermostFirst(variables);
  scores.sum = Func(context.uniqueName("sum"));
  scores.sum(pure) = 0.0f;
  scores.sum(pure) += rows.read() * columns.read();
  scores.value = Func(context.uniqueName("product"));
  scores.value(pure) = scores.sum(std::vector<Expr>(pure.begin(), pure.end()));
  context.algorithm.contractions.push_back(scores);
  return {shape.axes, entriesOf(scores.value), true};
}

// For rows (…, n) and a part: the maximum of its scores, its weights and their
// sum.
void AttentionBuilder::weightsOfParts(OnlineAttention &online,
                                      const Weights &weights, const Var &part) {
  const Tensor &x = *weights.x;
  const Softmax &softmax = *weights.softmax;
  const int keys = pieces.block();
  std::vector<Var> indices = indexVariables(x.axes.size() - 1);
  std::vector<Var> families(indices.rbegin() + 1, indices.rend());
  families.push_back(part);
  Var n = indices.back(), lane("lane"), key("key");
  auto of = [&](std::vector<Var> first) {
    first.insert(first.end(), families.begin(), families.end());
    return first;
  };
  auto at = [&](const Expr &ofPart) {
    return with(Indices(indices.begin(), indices.end()), part * keys + ofPart);
  };
  online.blocks = RDom(0, keys / lanesOfRow, context.uniqueName("blocks"));
  online.across = RDom(0, lanesOfRow, context.uniqueName("across"));
  Expr own = online.blocks * lanesOfRow + lane;
  auto reduce = [&](const char *name, Func &lanes, Func &total,
                    const Join &join, const Expr &entry) {
    std::vector<Var> place = of({n, lane}), row = of({n});
    std::vector<Expr> one(place.begin(), place.end());
    lanes = Func(context.uniqueName(std::string(name) + "_lanes"));
    lanes(place) = join.start;
    lanes(place) = join.of(lanes(one), entry);
    total = Func(context.uniqueName(name));
    total(row) = join.start;
    one[1] = online.across.x;
    total(row) =
        join.of(total(std::vector<Expr>(row.begin(), row.end())), lanes(one));
  };
  auto scoreAt = [&](const Indices &i) {
    return softmax.compared(i, x.at(i), weights.end, leastScore);
  };
  Join largest = Join::maximum();
  largest.start = leastScore;
  reduce("maximum", online.lanesOfMaximum, online.maximum, largest,
         scoreAt(at(own)));
  online.weights = Func(context.uniqueName("weights"));
  std::vector<Var> row = of({n}), place = of({n, key});
  online.weights(place) =
      softmax.weight(at(key), scoreAt(at(key)),
                     online.maximum(std::vector<Expr>(row.begin(), row.end())),
                     pieces.countOfKeys());
  std::vector<Expr> weight(place.begin(), place.end());
  weight[1] = own;
  reduce("sum", online.lanesOfSum, online.sum, Join::sum(),
         online.weights(weight));
}

} // namespace transfold::kernels
