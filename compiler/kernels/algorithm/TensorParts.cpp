// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An attention of few queries over many keys: its tasks are parts of keys. With
// L sums across the channels of a key, of part p, over its keys m,
//
//   lanes(l, m, n, h) = Σ_b q(b L + l, n, h) k(b L + l, h, m)
//   scores(m, n, h)   = Σ_l lanes
//
// and once these are all there, with the maximum over all keys,
//
//   weights(m, n, h)  = 2^((scores - max scores) e)
//   sum_p(n, h)       = Σ weights
//   mix_p(c, n, h)    = Σ weights v(c, h, m)
//
//   result(c, n, h)   = Σ_p mix_p / Σ_p sum_p
//
// A sink joins the sum over all parts, once.
//
// The parts are those of the positions, whoever computes them. Strips of
// queries, TensorContract.cpp, make the same sums in the same order.

#include "compiler/kernels/algorithm/TensorLabels.h"

using namespace Halide;

namespace transfold::kernels {

static size_t indexOf(const Labels &labels, const std::string &label) {
  auto found = std::find(labels.begin(), labels.end(), label);
  if (found == labels.end())
    throw std::runtime_error("an attention in parts has no label " + label);
  return static_cast<size_t>(found - labels.begin());
}

/// The entries of `positions`, by label.
static Indices pick(const std::map<std::string, Expr> &positions,
                    const Labels &labels) {
  Indices picked;
  for (const std::string &label : labels)
    picked.push_back(positions.at(label));
  return picked;
}

template <typename List, typename Last>
static List with(List list, const Last &last) {
  list.emplace_back(last);
  return list;
}

static std::map<std::string, Expr>
positionsOf(const Labels &labels, const std::vector<Var> &variables) {
  std::map<std::string, Expr> positions;
  for (size_t i = 0; i < labels.size(); ++i)
    positions[labels[i]] = variables[i];
  return positions;
}

Tensor AlgorithmBuilder::scoresInParts(const Tensor &lhs,
                                       const Labels &lhsLabels,
                                       const Tensor &rhs,
                                       const Labels &rhsLabels,
                                       const Labels &labels) {
  const std::string &key = labels.back(), &row = labels[labels.size() - 2];
  std::vector<Axis> axes;
  for (const std::string &label : labels)
    axes.push_back(label == key ? rhs.axes[indexOf(rhsLabels, key)]
                                : lhs.axes[indexOf(lhsLabels, label)]);
  beginPieces(lhs.axes[indexOf(lhsLabels, row)], axes.back());

  std::string over = summedLabel(lhsLabels, rhsLabels, labels);
  int channels = static_cast<int>(lhs.axes[indexOf(lhsLabels, over)].size);
  int width = sumsAcross(lhs.axes[indexOf(lhsLabels, over)]);

  Contraction scores;
  scores.channels = channels;
  scores.over = RDom(0, channels / width, uniqueName("over"));
  Var lane("lane");
  std::vector<Var> variables = indexVariables(labels.size());
  auto positions = positionsOf(labels, variables);
  positions[over] = scores.over * width + lane;
  Expr query;
  if (lhs.isStored) {
    query = lhs.at(pick(positions, lhsLabels));
  } else {
    std::vector<Var> own = indexVariables(lhs.axes.size());
    scores.queries = Func(uniqueName("queries"));
    scores.queries(innermostFirst(own)) =
        lhs.at(Indices(own.begin(), own.end()));
    query = scores.queries(innermostFirst(pick(positions, lhsLabels)));
  }
  std::vector<Var> pure = variablesOf(variables), lanesOfPure = pure;
  lanesOfPure.insert(lanesOfPure.begin(), lane);
  std::vector<Expr> laneArguments(lanesOfPure.begin(), lanesOfPure.end());
  scores.sum = Func(uniqueName("sum"));
  scores.sum(lanesOfPure) = 0.0f;
  scores.sum(laneArguments) += query * rhs.at(pick(positions, rhsLabels));
  scores.halves = inHalves("product", scores.sum, width, Join::sum());
  laneArguments[0] = 0;
  scores.total = Func(uniqueName("total"));
  scores.total(pure) =
      (width == 1 ? scores.sum : scores.halves.back())(laneArguments);
  scores.value = Func(uniqueName("product"));
  defineOverKeys(scores.value, variables, axes.back(), entriesOf(scores.total));
  algorithm.contractions.push_back(scores);
  return {std::move(axes), entriesOverKeys(scores.value), true};
}

Tensor AlgorithmBuilder::mixtureInParts(const Tensor &lhs,
                                        const Labels &lhsLabels,
                                        const Tensor &rhs,
                                        const Labels &rhsLabels,
                                        const Labels &labels) {
  // Everything of a part is made by one task: also what others need of it.
  const std::string &key = lhsLabels.back();
  Labels rows = lhsLabels;
  rows.pop_back();
  std::vector<Axis> axes, rowAxes(lhs.axes.begin(), lhs.axes.end() - 1);
  for (const std::string &label : labels) {
    auto row = std::find(rows.begin(), rows.end(), label);
    axes.push_back(row == rows.end() ? rhs.axes[indexOf(rhsLabels, label)]
                                     : rowAxes[row - rows.begin()]);
  }
  std::vector<Var> variables = indexVariables(labels.size());
  auto positions = positionsOf(labels, variables);
  std::vector<Var> pure = innermostFirst(variables);
  std::vector<Expr> arguments(pure.begin(), pure.end());
  Indices row = pick(positions, rows);

  Contraction mixture;
  mixture.over = blocksOfPiece(lhs.axes.back(), uniqueName("over"),
                               piece->index, /*withKeys=*/true);
  positions[key] = keyAt(piece->index, mixture.over.y, mixture.over.x);
  mixture.columns = axes.back().size;
  mixture.sum = Func(uniqueName("sum"));
  mixture.sum(with(pure, piece->index)) = 0.0f;
  mixture.sum(with(arguments, Expr(piece->index))) +=
      lhs.numerator(pick(positions, lhsLabels)) *
      rhs.at(pick(positions, rhsLabels));

  PartsOfKeys parts;
  parts.part = piece->index;
  parts.keys = limits->part;
  // What the softmax reads: weights are the last of the rows.
  parts.scores = algorithm.rows.size() > 1
                     ? algorithm.rows[algorithm.rows.size() - 2]
                     : algorithm.contractions[0].value;
  parts.made = Func(uniqueName("part"));
  parts.made(with(pure, piece->index)) =
      Tuple(mixture.sum(with(arguments, Expr(piece->index))),
            softmaxOfParts->sum.at(row));
  RDom all = seenParts(lhs.axes.back(), uniqueName("parts"));
  piece.reset();

  // Of a row, over its parts.
  std::vector<Var> rowVariables = indexVariables(rows.size());
  std::vector<Var> rowPure = innermostFirst(rowVariables);
  std::vector<Expr> rowArguments(rowPure.begin(), rowPure.end());
  auto place = positionsOf(rows, rowVariables);
  place.try_emplace(labels.back(), 0);
  parts.total = Func(uniqueName("total"));
  parts.total(rowPure) = 0.0f;
  parts.total(rowArguments) +=
      Expr(parts.made(with(innermostFirst(pick(place, labels)), all))[1]);
  parts.inverse = Func(uniqueName("inverse"));
  parts.inverse(rowPure) =
      softmaxOfParts->inverse(Indices(rowVariables.begin(), rowVariables.end()),
                              parts.total(rowArguments));

  mixture.total = Func(uniqueName("mixture"));
  mixture.total(pure) = 0.0f;
  mixture.total(arguments) += Expr(parts.made(with(arguments, Expr(all)))[0]);
  mixture.parts = all;
  mixture.value = Func(uniqueName("product"));
  mixture.value(pure) =
      mixture.total(arguments) * parts.inverse(innermostFirst(row));
  algorithm.contractions.push_back(mixture);
  parts.heads = rowAxes[0].size;
  algorithm.partsOfKeys = parts;
  return {std::move(axes), entriesOf(mixture.value)};
}

} // namespace transfold::kernels
