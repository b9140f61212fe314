// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operations that sum along rows or columns.
//
// A row is reduced in `lanes` interleaved parts, which vectors hold, and then
// across them, one half added to the other. Float sums thereby have a fixed
// order, and a shorter chain of roundings than one after the other.

#include "compiler/kernels/algorithm/HalideMath.h"
#include "compiler/kernels/algorithm/Tensor.h"

#include <algorithm>

using namespace Halide;

namespace transfold::kernels {

static Indices withLast(Indices indices, Expr last) {
  indices.push_back(std::move(last));
  return indices;
}

static Expr plus(const Expr &a, const Expr &b) { return a + b; }
static Expr maximumOf(const Expr &a, const Expr &b) { return max(a, b); }

Join Join::sum() { return {0.0f, plus}; }
/// Of numbers: whether NaN is kept depends on where it is.
static Join maxima() {
  return {Float(32).min(), maximumOf, /*isInAnyOrder=*/true};
}
/// What orderOf makes of numbers and of NaN.
static Join maximaOfOrders() {
  return {Int(32).min(), maximumOf, /*isInAnyOrder=*/true};
}

static std::vector<Expr> asExprs(const std::vector<Var> &variables) {
  return {variables.begin(), variables.end()};
}

static std::vector<Expr> withFirst(Expr first, std::vector<Expr> rest) {
  rest.insert(rest.begin(), std::move(first));
  return rest;
}

std::vector<Func> AlgorithmBuilder::inHalves(const std::string &operation,
                                             Func lanes, int width,
                                             const Join &join) {
  if (width & (width - 1))
    throw std::runtime_error(std::to_string(width) + " lanes have no halves");
  std::vector<Func> halves;
  for (int half = width / 2; half > 0; half /= 2) {
    std::vector<Var> variables = lanes.args();
    std::vector<Expr> first = asExprs(variables), second = first;
    second[0] += half;
    Func folded(uniqueName(operation + "_half"));
    folded(variables) = join.of(lanes(first), lanes(second));
    halves.push_back(folded);
    lanes = folded;
  }
  return halves;
}

// From its lanes to the number of a row.
void AlgorithmBuilder::reduceLanes(RowReduction &reduction,
                                   const std::string &operation,
                                   const std::vector<Var> &rows, int width,
                                   const Join &join) {
  std::vector<Expr> arguments = asExprs(rows);
  reduction.total = Func(uniqueName(operation));
  auto add = [&](const Expr &other) {
    reduction.total(rows) = join.start;
    reduction.total(arguments) = join.of(reduction.total(arguments), other);
  };
  if (isOnDevice) {
    reduction.across = RDom(0, width, uniqueName("across"));
    add(reduction.lanes(withFirst(reduction.across, arguments)));
    return;
  }
  reduction.halves = inHalves(operation, reduction.lanes, width, join);
  Func last = width == 1 ? reduction.lanes : reduction.halves.back();
  std::vector<Expr> one = withFirst(0, arguments);
  if (!reduction.parts.defined()) {
    reduction.total(rows) = last(one);
    return;
  }
  one.push_back(reduction.parts);
  add(last(one));
}

// Along the keys of an attention. The rows of tasks that are parts of keys have
// one maximum, over all parts, and a sum for each; those of a strip have a sum
// over all parts. Scores reach to the end of their panel, where the last key
// stands again and its weight is 0.
Tensor AlgorithmBuilder::reduceKeys(
    const std::string &operation, const std::vector<Axis> &shape,
    const Join &join, const std::function<Expr(const Indices &)> &entry) {
  const Axis &axis = shape.back();
  std::vector<Axis> outer(shape.begin(), shape.end() - 1);
  std::vector<Var> indices = indexVariables(outer.size());
  bool isOverAll = hasPartsAsTasks() && join.isInAnyOrder;
  std::vector<Var> rows =
      isOverAll ? innermostFirst(indices) : variablesOf(indices);

  RowReduction reduction;
  Var lane("lane"), part("keys_part");
  std::vector<Var> laneVariables = rows;
  laneVariables.insert(laneVariables.begin(), lane);
  Expr ofPart;
  bool inParts = piece && limits->part && !join.isInAnyOrder;
  if (isOverAll) {
    // Blocks of a part, and parts.
    int blocks = limits->part / lanes;
    ofPart = piece->index;
    reduction.blocks =
        RDom(0, blocks, 0, countOfParts(axis), uniqueName("blocks"));
    limitToSeen(reduction.blocks,
                reduction.blocks.y * blocks + reduction.blocks.x);
  } else {
    if (inParts && hasPartsAsTasks()) {
      ofPart = piece->index;
    } else if (inParts) {
      ofPart = part;
      laneVariables.push_back(part);
      reduction.parts = seenParts(axis, uniqueName("parts"));
    }
    reduction.blocks =
        blocksOfPiece(axis, uniqueName("blocks"), ofPart, /*withKeys=*/false);
  }
  Indices place(indices.begin(), indices.end());
  place.push_back(keyAt(ofPart, reduction.blocks.x, lane));
  Expr term = entry(place);
  if (isOverAll)
    term = Internal::substitute(piece->index.name(), reduction.blocks.y, term);
  std::vector<Expr> laneArguments = asExprs(laneVariables);
  reduction.lanes = Func(uniqueName(operation + "_lanes"));
  reduction.lanes(laneVariables) = join.start;
  reduction.lanes(laneArguments) =
      join.of(reduction.lanes(laneArguments), term);
  reduceLanes(reduction, operation, rows, lanes, join);
  algorithm.rowReductions.push_back(reduction);
  Func total = reduction.total;
  if (!isOverAll)
    return {std::move(outer), entriesOf(total), true};
  return {std::move(outer),
          [=](const Indices &i) { return Expr(total(innermostFirst(i))); },
          true};
}

Tensor
AlgorithmBuilder::reduceRow(const std::string &operation,
                            const std::vector<Axis> &shape, const Join &join,
                            const std::function<Expr(const Indices &)> &entry) {
  if (isAttention)
    return reduceKeys(operation, shape, join, entry);
  const Axis &axis = shape.back();
  int width = lanes;
  // Fewer lanes where they divide the row: no mask is needed.
  if (!axis.isLength())
    while (width > 4 && axis.size % width)
      width /= 2;
  bool isWhole = !axis.isLength() && axis.size % width == 0;
  Expr length = extent(axis);

  std::vector<Axis> outer(shape.begin(), shape.end() - 1);
  std::vector<Var> indices = indexVariables(outer.size());
  std::vector<Var> rows = innermostFirst(indices), laneVariables = rows;
  Var lane("lane");
  laneVariables.insert(laneVariables.begin(), lane);

  RowReduction reduction;
  reduction.blocks =
      RDom(0, (length + (width - 1)) / width, uniqueName("blocks"));
  reduction.lanes = Func(uniqueName(operation + "_lanes"));
  std::vector<Expr> laneArguments = asExprs(laneVariables);
  Expr index = reduction.blocks.x * width + lane;
  Indices rowIndices(indices.begin(), indices.end());
  Expr term;
  if (isWhole)
    term = entry(withLast(rowIndices, index));
  else
    term = Halide::select(
        likely(index < length),
        entry(withLast(rowIndices, min(likely(index), length - 1))),
        join.start);
  reduction.lanes(laneVariables) = join.start;
  reduction.lanes(laneArguments) =
      join.of(reduction.lanes(laneArguments), term);
  reduceLanes(reduction, operation, rows, width, join);
  algorithm.rowReductions.push_back(reduction);
  return {std::move(outer), entriesOf(reduction.total), true};
}

Tensor AlgorithmBuilder::rowNumber(const std::string &operation,
                                   const Tensor &reduced,
                                   const std::function<Expr(Expr)> &function) {
  return rowNumber(operation, reduced,
                   [&](const Indices &, const Expr &x) { return function(x); });
}

Tensor AlgorithmBuilder::rowNumber(
    const std::string &operation, const Tensor &reduced,
    const std::function<Expr(const Indices &, const Expr &)> &function) {
  Func number(uniqueName(operation));
  std::vector<Var> rows = indexVariables(reduced.axes.size());
  Indices row(rows.begin(), rows.end());
  number(variablesOf(rows)) = function(row, reduced.at(row));
  algorithm.rowNumbers.push_back(number);
  return {reduced.axes, entriesOf(number), true};
}

Tensor AlgorithmBuilder::keepRow(const Tensor &input) {
  if (input.isStored)
    return input;
  Func row(uniqueName("row"));
  std::vector<Var> variables = indexVariables(input.axes.size());
  defineOverKeys(row, variables, input.axes.back(), input.at);
  algorithm.rows.push_back(row);
  return {input.axes, entriesOverKeys(row), true};
}

static Indices withoutLast(const Indices &indices) {
  return {indices.begin(), indices.end() - 1};
}

Tensor AlgorithmBuilder::standardize(const Tensor &input, const Expr &epsilon,
                                     const Expr &scale) {
  Tensor x = keepRow(input);
  Expr share = 1.0f / cast<float>(extent(x.axes.back()));
  Tensor sum = reduceRow("sum", x.axes, Join::sum(), x.at);
  Tensor mean = rowNumber("mean", sum, [&](Expr s) { return s * share; });
  Tensor squares =
      reduceRow("squares", x.axes, Join::sum(), [&](const Indices &i) {
        Expr deviation = x.at(i) - mean.at(withoutLast(i));
        return deviation * deviation;
      });
  Tensor factor = rowNumber("factor", squares, [&](Expr s) {
    return scale / sqrt(s * share + epsilon);
  });
  return define("standardize", x.axes, [&](const Indices &i) {
    return (x.at(i) - mean.at(withoutLast(i))) * factor.at(withoutLast(i));
  });
}

Tensor AlgorithmBuilder::unitRms(const Tensor &input, const Expr &epsilon,
                                 const Expr &scale) {
  Tensor x = keepRow(input);
  Expr share = 1.0f / cast<float>(extent(x.axes.back()));
  Tensor squares =
      reduceRow("squares", x.axes, Join::sum(),
                [&](const Indices &i) { return x.at(i) * x.at(i); });
  Tensor factor = rowNumber("factor", squares, [&](Expr s) {
    return scale / sqrt(s * share + epsilon);
  });
  return define("unit_rms", x.axes, [&](const Indices &i) {
    return x.at(i) * factor.at(withoutLast(i));
  });
}

Tensor AlgorithmBuilder::unit(const Tensor &input, const Expr &scale) {
  Tensor x = keepRow(input);
  Tensor squares =
      reduceRow("squares", x.axes, Join::sum(),
                [&](const Indices &i) { return x.at(i) * x.at(i); });
  Tensor factor =
      rowNumber("factor", squares, [&](Expr s) { return scale / sqrt(s); });
  return define("unit", x.axes, [&](const Indices &i) {
    return x.at(i) * factor.at(withoutLast(i));
  });
}

Tensor AlgorithmBuilder::softmax(const Tensor &input, const Expr &exponent,
                                 const Expr &factor, const Mask &mask,
                                 const Tensor *among, const Tensor *sink) {
  // Before what is made of it: the last of the rows are the weights.
  std::function<Expr(const Indices &)> chosen;
  if (among)
    chosen = keepRow(*among).at;
  Tensor x = keepRow(input);
  const Axis axis = x.axes.back();
  Expr length = extent(axis);
  bool isPartial = mask || chosen;
  // NaN chooses nothing, and 0 / 0 is NaN again.
  auto isSeen = [&](const Indices &i) {
    return chosen ? isBelow(0.0f, chosen(i)) : mask(i[i.size() - 2], i.back());
  };
  // Weights keep NaN, whatever the maximum is.
  Tensor maximum =
      reduceRow("maximum", x.axes, maxima(), [&](const Indices &i) {
        return isPartial ? Halide::select(isSeen(i), x.at(i), Float(32).min())
                         : x.at(i);
      });
  Func weights(uniqueName("weights"));
  std::vector<Var> variables = indexVariables(x.axes.size());
  defineOverKeys(weights, variables, axis, [&](const Indices &i) {
    Expr weight =
        exp2OfNonPositive((x.at(i) - maximum.at(withoutLast(i))) * exponent);
    // Behind the end of a row, up to the end of its panel, weights are 0.
    if (axis.isLength() || isAttention)
      weight = Halide::select(likely(i.back() < length), weight, 0.0f);
    return isPartial ? Halide::select(isSeen(i), weight, 0.0f) : weight;
  });
  algorithm.rows.push_back(weights);
  auto numerator = entriesOverKeys(weights);
  Tensor sum = reduceRow("sum", x.axes, Join::sum(), numerator);
  // What joins the sum of a row, once: relative to its maximum, as the weights
  // are. Where the sink is far above that, a row is nearly 0.
  std::function<Expr(const Indices &)> joins;
  if (sink)
    joins = [=, sink = *sink](const Indices &row) {
      Indices member(row.begin(), row.begin() + sink.axes.size());
      return exp2OfFloat((sink.at(member) - maximum.at(row)) * exponent);
    };
  auto inverseOf = [=](const Indices &row, const Expr &s) {
    return factor / (joins ? s + joins(row) : s);
  };
  if (piece && hasPartsAsTasks()) {
    softmaxOfParts = {sum, inverseOf};
    return {x.axes, nullptr, false, numerator};
  }
  Tensor inverse = rowNumber("inverse", sum, inverseOf);
  auto at = [=](const Indices &i) {
    return numerator(i) * inverse.at(withoutLast(i));
  };
  return {x.axes, at, false, numerator, inverse.at};
}

Tensor AlgorithmBuilder::largestOfRow(const std::string &operation,
                                      const Tensor &input) {
  Tensor order =
      reduceRow(operation, input.axes, maximaOfOrders(),
                [&](const Indices &i) { return orderOf(input.at(i)); });
  return {order.axes, [=](const Indices &i) { return numberOf(order.at(i)); },
          true};
}

Tensor AlgorithmBuilder::top(const Tensor &input, int64_t count) {
  Tensor x = keepRow(input);
  Tensor largest = largestOfRow("largest", x);
  // An entry is chosen if fewer than `count` stand before it.
  return define("top", x.axes, [&](const Indices &i) {
    Expr before = 0;
    for (int k = 0; k < x.axes.back().size; ++k) {
      Expr other = x.at(withLast(withoutLast(i), k));
      before +=
          cast<int>(other > x.at(i) || (other == x.at(i) && k < i.back()));
    }
    Expr first = largest.at(withoutLast(i));
    return Halide::select(isNaN(first), first, before < static_cast<int>(count),
                          1.0f, 0.0f);
  });
}

Tensor AlgorithmBuilder::reduce(const Tensor &input, unsigned axis,
                                Reduction kind) {
  bool isMaximum = kind == Reduction::Max;
  Join join = isMaximum ? maximaOfOrders() : Join::sum();
  Expr length = extent(input.axes[axis]);
  auto scaled = [&](Expr sum) {
    return kind == Reduction::Mean ? sum * (1.0f / cast<float>(length)) : sum;
  };
  if (axis + 1 == input.axes.size()) {
    if (isMaximum)
      return largestOfRow("reduction", input);
    Tensor sum = reduceRow("reduction", input.axes, join, input.at);
    return kind == Reduction::Mean ? rowNumber("mean", sum, scaled) : sum;
  }

  std::vector<Axis> outer = input.axes;
  outer.erase(outer.begin() + axis);
  std::vector<Var> variables = indexVariables(outer.size());
  std::vector<Var> pure = innermostFirst(variables);
  std::vector<Expr> arguments(pure.begin(), pure.end());
  ColumnReduction reduction;
  reduction.over = RDom(0, length, uniqueName("over"));
  Indices indices(variables.begin(), variables.end());
  indices.insert(indices.begin() + axis, reduction.over);
  reduction.sum = Func(uniqueName("column_sum"));
  reduction.sum(pure) = join.start;
  Expr term = input.at(indices);
  reduction.sum(arguments) =
      join.of(reduction.sum(arguments), isMaximum ? orderOf(term) : term);
  reduction.value = Func(uniqueName("column_reduction"));
  Expr result = reduction.sum(arguments);
  reduction.value(pure) = isMaximum ? numberOf(result) : scaled(result);
  algorithm.columnReductions.push_back(reduction);
  Func value = reduction.value;
  return {std::move(outer), entriesOf(value), true};
}

} // namespace transfold::kernels
