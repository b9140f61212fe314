// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operations that reduce along rows or columns.
//
// A row is reduced in `lanes` interleaved parts, which are the lanes of
// vectors, and then across these, by adding one half to the other. Float sums
// thereby have a fixed order, and a shorter chain of roundings than a
// sequential sum.

#include "compiler/kernels/algorithm/numeric/HalideMath.h"
#include "compiler/kernels/algorithm/tensor/Tensor.h"

#include <algorithm>

using namespace Halide;

namespace transfold::kernels {

/// The indices of an entry of a row.
static Indices withLast(Indices indices, Expr last) {
  indices.push_back(std::move(last));
  return indices;
}

Tensor AlgorithmBuilder::reduceRow(const std::string &operation,
                                   const std::vector<Axis> &shape,
                                   const Join &join, const Entry &entry) {
  const Axis &axis = shape.back();
  int width = lanesOfNorms ? lanesOfNorms : lanes;
  // Fewer lanes if they divide the row, since no mask is needed then.
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
  std::vector<Expr> laneArguments(laneVariables.begin(), laneVariables.end());
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

Tensor AlgorithmBuilder::keepRow(const Tensor &input) {
  if (input.isStored)
    return input;
  Func row(uniqueName("row"));
  std::vector<Var> variables = indexVariables(input.axes.size());
  row(innermostFirst(variables)) =
      input.at(Indices(variables.begin(), variables.end()));
  algorithm.rows.push_back(row);
  return {input.axes, entriesOf(row), true};
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

Tensor AlgorithmBuilder::softmax(const Tensor &input, Softmax softmax,
                                 const Tensor *among) {
  // NaN in `among` chooses nothing; if nothing is chosen, 0 / 0 gives NaN.
  if (among)
    softmax.isSeen = [chosen = keepRow(*among).at](const Indices &i) {
      return isBelow(0.0f, chosen(i));
    };
  Tensor x = keepRow(input);
  Tensor maximum =
      reduceRow("maximum", x.axes, Join::maximum(),
                [&](const Indices &i) { return softmax.compared(i, x.at(i)); });
  Func weights(uniqueName("weights"));
  std::vector<Var> variables = indexVariables(x.axes.size());
  Indices place(variables.begin(), variables.end());
  const Axis &axis = x.axes.back();
  weights(innermostFirst(variables)) =
      softmax.weight(place, x.at(place), maximum.at(withoutLast(place)),
                     axis.isLength() ? extent(axis) : Expr());
  algorithm.rows.push_back(weights);
  Entry numerator = entriesOf(weights);
  Tensor sum = reduceRow("sum", x.axes, Join::sum(), numerator);
  Tensor inverse =
      rowNumber("inverse", sum, [&](const Indices &row, const Expr &s) {
        return softmax.inverse(row, s, maximum.at(row));
      });
  auto at = [=](const Indices &i) {
    return numerator(i) * inverse.at(withoutLast(i));
  };
  return {x.axes, at};
}

Tensor AlgorithmBuilder::largestOfRow(const std::string &operation,
                                      const Tensor &input) {
  Tensor order =
      reduceRow(operation, input.axes, Join::maximumOfOrders(),
                [&](const Indices &i) { return orderOf(input.at(i)); });
  return {order.axes, [=](const Indices &i) { return numberOf(order.at(i)); },
          true};
}

Tensor AlgorithmBuilder::top(const Tensor &input, int64_t count) {
  Tensor x = keepRow(input);
  Tensor largest = largestOfRow("largest", x);
  // An entry is chosen if fewer than `count` entries precede it in the order.
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
  Join join = isMaximum ? Join::maximumOfOrders() : Join::sum();
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
