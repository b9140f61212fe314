// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The parts of an attention that its kinds share: rows that are kept,
// reductions over the keys of a piece, and the weights of a softmax.

#include "compiler/kernels/algorithm/attention/AttentionBuilder.h"

using namespace Halide;

namespace transfold::kernels {

// On a device all keys are one piece.
static KeyPieces piecesOf(const AlgorithmContext &context, const Axis &rows,
                          const Axis &keys, const KeyLimits &limits) {
  if (context.isOnDevice)
    return {context.extent(keys), context.lanes};
  return {context.extent(rows), context.extent(keys), context.lanes, limits};
}

AttentionBuilder::AttentionBuilder(AlgorithmContext &context, const Axis &rows,
                                   const Axis &keys, const KeyLimits &limits)
    : context(context), pieces(piecesOf(context, rows, keys, limits)),
      limits(limits) {}

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

// If tasks are parts of keys, a row has one maximum, over all parts, and a sum
// for each part; if they are strips, it has one sum over all parts. Scores
// extend to the end of their panel, where the last key is repeated and gets
// weight 0. What is added to the scores by position has other values there.
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
    // The blocks of a part, and the parts.
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
                                            ofPart, /*perBlock=*/0);
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
  Func stored = scores.isStored ? context.algorithm.contractions.back().value
                                : context.algorithm.rows.back();
  // A product alone has no entries past the end that differ from those of the
  // last key.
  Expr end = scores.isStored ? Expr() : pieces.countOfKeys();
  Weights made;
  if (context.isOnDevice) {
    made.axes = x.axes;
    made.softmax = softmax;
    made.x = x;
    made.end = end;
  } else {
    made = weightsOf(x, softmax, end);
  }
  made.scores = stored;
  return made;
}

AttentionBuilder::Weights AttentionBuilder::weightsOf(const Tensor &x,
                                                      const Softmax &softmax,
                                                      const Expr &end) {
  Weights made;
  made.axes = x.axes;
  made.areRounded = softmax.isRounded;
  Tensor maximum =
      reduce("maximum", x.axes, Join::maximum(), [&](const Indices &i) {
        return softmax.compared(i, x.at(i), end);
      });
  Func weights(context.uniqueName("weights"));
  // Past the end of a row, up to the end of its panel, weights are 0.
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

} // namespace transfold::kernels
