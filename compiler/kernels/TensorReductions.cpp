// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operations that sum along rows or columns.
//
// A row is reduced in `lanes` interleaved parts, which vectors hold, and then
// across them. Float sums thereby have a fixed order, and a shorter chain of
// roundings than one after the other.

#include "compiler/kernels/HalideMath.h"
#include "compiler/kernels/Tensor.h"

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
static Join maxima() { return {Float(32).min(), maximumOf}; }
/// What orderOf makes of numbers and of NaN.
static Join maximaOfOrders() { return {Int(32).min(), maximumOf}; }

Tensor
AlgorithmBuilder::reduceRow(const std::string &operation,
                            const std::vector<Axis> &shape, const Join &join,
                            const std::function<Expr(const Indices &)> &entry) {
  const Axis &axis = shape.back();
  int width = lanes;
  // Fewer lanes where they divide the row: no mask is needed. The rows of an
  // attention are whole panels of keys.
  if (!axis.isLength() && anchor != "attention")
    while (width > 4 && axis.size % width)
      width /= 2;
  bool isWhole = !axis.isLength() && axis.size % width == 0;
  Expr length = extent(axis);

  std::vector<Axis> outer(shape.begin(), shape.end() - 1);
  std::vector<Var> rows = indexVariables(outer.size());
  Indices rowIndices(rows.begin(), rows.end());
  Var lane("lane");

  RowReduction reduction;
  reduction.blocks =
      RDom(0, piece ? countOfBlocks(axis) : (length + (width - 1)) / width,
           uniqueName("blocks"));
  reduction.lanes = Func(uniqueName(operation + "_lanes"));
  std::vector<Var> totalVariables = variablesOf(rows);
  std::vector<Expr> totalArguments = argumentsOf(rowIndices);
  std::vector<Var> laneVariables{lane};
  laneVariables.insert(laneVariables.end(), totalVariables.begin(),
                       totalVariables.end());
  std::vector<Expr> laneArguments(laneVariables.begin(), laneVariables.end());
  Expr index = seenBlock(reduction.blocks, reduction.blocks.x) * width + lane;
  Expr term;
  // Attention: scores reach to the end of their panel, where the last key
  // stands again and its weight is 0.
  if (isWhole || anchor == "attention")
    term = entry(withLast(rowIndices, index));
  else
    term = Halide::select(
        likely(index < length),
        entry(withLast(rowIndices, min(likely(index), length - 1))),
        join.start);
  reduction.lanes(laneVariables) = join.start;
  reduction.lanes(laneArguments) =
      join.of(reduction.lanes(laneArguments), term);

  reduction.across = RDom(0, width, uniqueName("across"));
  reduction.total = Func(uniqueName(operation));
  std::vector<Expr> crossArguments{reduction.across};
  crossArguments.insert(crossArguments.end(), totalArguments.begin(),
                        totalArguments.end());
  reduction.total(totalVariables) = join.start;
  reduction.total(totalArguments) =
      join.of(reduction.total(totalArguments), reduction.lanes(crossArguments));
  algorithm.rowReductions.push_back(reduction);

  Func total = reduction.total;
  return {std::move(outer), entriesOf(total), true};
}

Tensor AlgorithmBuilder::rowNumber(const std::string &operation,
                                   const Tensor &reduced,
                                   const std::function<Expr(Expr)> &function) {
  Func number(uniqueName(operation));
  std::vector<Var> rows = indexVariables(reduced.axes.size());
  number(variablesOf(rows)) =
      function(reduced.at(Indices(rows.begin(), rows.end())));
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
  return {input.axes, entriesOf(row), true};
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
                                 const Tensor *among) {
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
    if (axis.isLength() || anchor == "attention")
      weight = Halide::select(likely(i.back() < length), weight, 0.0f);
    return isPartial ? Halide::select(isSeen(i), weight, 0.0f) : weight;
  });
  algorithm.rows.push_back(weights);
  auto numerator = entriesOf(weights);
  Tensor sum = reduceRow("sum", x.axes, Join::sum(), numerator);
  if (piece && limits->part) {
    softmaxOfParts = {maximum, sum, exponent, factor};
    return {x.axes, nullptr, false, numerator};
  }
  Tensor inverse =
      rowNumber("inverse", sum, [&](Expr s) { return factor / s; });
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
