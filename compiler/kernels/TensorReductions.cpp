// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operations that sum: along rows, along columns, and products of matrices.
//
// A row is reduced in `lanes` interleaved parts, which vectors hold, and then
// across them. Float sums thereby have a fixed order, and a shorter chain of
// roundings than one after the other.

#include "compiler/kernels/HalideMath.h"
#include "compiler/kernels/Tensor.h"

#include <algorithm>

using namespace Halide;

namespace transfold::kernels {

static std::vector<Var> rowVariables(size_t rank) {
  std::vector<Var> variables;
  for (size_t i = 0; i < rank; ++i)
    variables.emplace_back("i" + std::to_string(i));
  return variables;
}

static std::vector<Expr> reversed(const std::vector<Var> &variables) {
  return {variables.rbegin(), variables.rend()};
}

static Indices withLast(Indices indices, Expr last) {
  indices.push_back(std::move(last));
  return indices;
}

Tensor
AlgorithmBuilder::reduceRow(const std::string &operation,
                            const std::vector<Axis> &shape, bool isMaximum,
                            const std::function<Expr(const Indices &)> &entry) {
  const Axis &axis = shape.back();
  int width = lanes;
  // Fewer lanes where they divide the row: no mask is needed.
  if (!axis.isLength())
    while (width > 4 && axis.size % width)
      width /= 2;
  bool isWhole = !axis.isLength() && axis.size % width == 0;
  Expr length = extent(axis);
  Expr identity = isMaximum ? Float(32).min() : Expr(0.0f);

  std::vector<Axis> outer(shape.begin(), shape.end() - 1);
  std::vector<Var> rows = rowVariables(outer.size());
  Indices rowIndices(rows.begin(), rows.end());
  Var lane("lane");

  RowReduction reduction;
  reduction.blocks =
      RDom(0, (length + (width - 1)) / width, uniqueName("blocks"));
  reduction.lanes = Func(uniqueName(operation + "_lanes"));
  std::vector<Expr> laneArguments{lane};
  std::vector<Var> laneVariables{lane};
  for (size_t i = rows.size(); i-- > 0;) {
    laneArguments.push_back(rows[i]);
    laneVariables.push_back(rows[i]);
  }
  Expr index = reduction.blocks * width + lane;
  Expr term;
  if (isWhole)
    term = entry(withLast(rowIndices, index));
  else if (anchor == "attention") // scores reach to the end of their panel
    term = Halide::select(likely(index < length),
                          entry(withLast(rowIndices, index)), identity);
  else
    term = Halide::select(
        likely(index < length),
        entry(withLast(rowIndices, min(likely(index), length - 1))), identity);
  reduction.lanes(laneVariables) = identity;
  Expr partial = reduction.lanes(laneArguments);
  reduction.lanes(laneArguments) =
      isMaximum ? max(partial, term) : partial + term;

  reduction.across = RDom(0, width, uniqueName("across"));
  reduction.total = Func(uniqueName(operation));
  std::vector<Var> totalVariables(rows.rbegin(), rows.rend());
  std::vector<Expr> totalArguments = reversed(rows);
  std::vector<Expr> crossArguments{reduction.across};
  crossArguments.insert(crossArguments.end(), totalArguments.begin(),
                        totalArguments.end());
  reduction.total(totalVariables) = identity;
  Expr sum = reduction.total(totalArguments);
  Expr other = reduction.lanes(crossArguments);
  reduction.total(totalArguments) = isMaximum ? max(sum, other) : sum + other;
  algorithm.rowReductions.push_back(reduction);

  Func total = reduction.total;
  return {std::move(outer),
          [=](const Indices &i) -> Expr {
            return total(std::vector<Expr>(i.rbegin(), i.rend()));
          },
          true, nullptr, nullptr};
}

Tensor AlgorithmBuilder::rowNumber(const std::string &operation,
                                   const Tensor &reduced,
                                   const std::function<Expr(Expr)> &function) {
  Func number(uniqueName(operation));
  std::vector<Var> rows = rowVariables(reduced.axes.size());
  number(std::vector<Var>(rows.rbegin(), rows.rend())) =
      function(reduced.at(Indices(rows.begin(), rows.end())));
  algorithm.rowNumbers.push_back(number);
  return {reduced.axes,
          [=](const Indices &i) -> Expr {
            return number(std::vector<Expr>(i.rbegin(), i.rend()));
          },
          true, nullptr, nullptr};
}

Tensor AlgorithmBuilder::keepRow(const Tensor &input) {
  if (input.isStored)
    return input;
  Func row(uniqueName("row"));
  std::vector<Var> variables = rowVariables(input.axes.size());
  row(std::vector<Var>(variables.rbegin(), variables.rend())) =
      input.at(Indices(variables.begin(), variables.end()));
  algorithm.rows.push_back(row);
  return {input.axes,
          [=](const Indices &i) -> Expr {
            return row(std::vector<Expr>(i.rbegin(), i.rend()));
          },
          true, nullptr, nullptr};
}

static Indices withoutLast(const Indices &indices) {
  return {indices.begin(), indices.end() - 1};
}

Tensor AlgorithmBuilder::standardize(const Tensor &input, double epsilon) {
  Tensor x = keepRow(input);
  Expr share = 1.0f / cast<float>(extent(x.axes.back()));
  Tensor sum = reduceRow("sum", x.axes, false, x.at);
  Tensor mean = rowNumber("mean", sum, [&](Expr s) { return s * share; });
  Tensor squares = reduceRow("squares", x.axes, false, [&](const Indices &i) {
    Expr deviation = x.at(i) - mean.at(withoutLast(i));
    return deviation * deviation;
  });
  Tensor factor = rowNumber("factor", squares, [&](Expr s) {
    return 1.0f / sqrt(s * share + static_cast<float>(epsilon));
  });
  return define("standardize", x.axes, [&](const Indices &i) {
    return (x.at(i) - mean.at(withoutLast(i))) * factor.at(withoutLast(i));
  });
}

Tensor AlgorithmBuilder::unitRms(const Tensor &input, double epsilon) {
  Tensor x = keepRow(input);
  Expr share = 1.0f / cast<float>(extent(x.axes.back()));
  Tensor squares = reduceRow("squares", x.axes, false, [&](const Indices &i) {
    return x.at(i) * x.at(i);
  });
  Tensor factor = rowNumber("factor", squares, [&](Expr s) {
    return 1.0f / sqrt(s * share + static_cast<float>(epsilon));
  });
  return define("unit_rms", x.axes, [&](const Indices &i) {
    return x.at(i) * factor.at(withoutLast(i));
  });
}

Tensor AlgorithmBuilder::unit(const Tensor &input) {
  Tensor x = keepRow(input);
  Tensor squares = reduceRow("squares", x.axes, false, [&](const Indices &i) {
    return x.at(i) * x.at(i);
  });
  Tensor factor =
      rowNumber("factor", squares, [](Expr s) { return 1.0f / sqrt(s); });
  return define("unit", x.axes, [&](const Indices &i) {
    return x.at(i) * factor.at(withoutLast(i));
  });
}

Tensor AlgorithmBuilder::softmax(const Tensor &input, double factor) {
  Tensor x = keepRow(input);
  const Axis axis = x.axes.back();
  Expr length = extent(axis);
  Tensor maximum = reduceRow("maximum", x.axes, true, x.at);
  // exp(factor (x - max)) as a power of two.
  float toPower = static_cast<float>(factor * 1.4426950408889634);
  Func weights(uniqueName("weights"));
  std::vector<Var> variables = rowVariables(x.axes.size());
  Indices indices(variables.begin(), variables.end());
  Expr weight = exp2OfNonPositive(
      (x.at(indices) - maximum.at(withoutLast(indices))) * toPower);
  // Behind the end of a row, up to the end of its panel, weights are 0.
  if (axis.isLength())
    weight = Halide::select(likely(indices.back() < length), weight, 0.0f);
  weights(std::vector<Var>(variables.rbegin(), variables.rend())) = weight;
  algorithm.rows.push_back(weights);
  auto numerator = [=](const Indices &i) -> Expr {
    return weights(std::vector<Expr>(i.rbegin(), i.rend()));
  };
  Tensor sum = reduceRow("sum", x.axes, false, numerator);
  Tensor inverse = rowNumber("inverse", sum, [](Expr s) { return 1.0f / s; });
  auto at = [=](const Indices &i) {
    return numerator(i) * inverse.at(withoutLast(i));
  };
  return {x.axes, at, false, numerator, inverse.at};
}

Tensor AlgorithmBuilder::reduce(const Tensor &input, unsigned axis,
                                Reduction kind) {
  bool isMaximum = kind == Reduction::Max;
  Expr length = extent(input.axes[axis]);
  auto scaled = [&](Expr sum) {
    return kind == Reduction::Mean ? sum * (1.0f / cast<float>(length)) : sum;
  };
  if (axis + 1 == input.axes.size()) {
    Tensor sum = reduceRow("reduction", input.axes, isMaximum, input.at);
    return kind == Reduction::Mean ? rowNumber("mean", sum, scaled) : sum;
  }

  std::vector<Axis> outer = input.axes;
  outer.erase(outer.begin() + axis);
  std::vector<Var> variables = rowVariables(outer.size());
  std::vector<Var> pure(variables.rbegin(), variables.rend());
  std::vector<Expr> arguments = reversed(variables);
  ColumnReduction reduction;
  reduction.over = RDom(0, length, uniqueName("over"));
  Indices indices(variables.begin(), variables.end());
  indices.insert(indices.begin() + axis, reduction.over);
  reduction.sum = Func(uniqueName("column_sum"));
  reduction.sum(pure) = isMaximum ? Float(32).min() : Expr(0.0f);
  Expr before = reduction.sum(arguments);
  Expr term = input.at(indices);
  reduction.sum(arguments) = isMaximum ? max(before, term) : before + term;
  reduction.value = Func(uniqueName("column_reduction"));
  reduction.value(pure) = scaled(reduction.sum(arguments));
  algorithm.columnReductions.push_back(reduction);
  Func value = reduction.value;
  return {std::move(outer),
          [=](const Indices &i) -> Expr {
            return value(std::vector<Expr>(i.rbegin(), i.rend()));
          },
          true, nullptr, nullptr};
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

static bool contains(const Labels &labels, const std::string &label) {
  return std::find(labels.begin(), labels.end(), label) != labels.end();
}

Tensor AlgorithmBuilder::contract(const Tensor &lhs, const Labels &lhsLabels,
                                  const Tensor &rhs, const Labels &rhsLabels,
                                  const Labels &labels) {
  Labels summed;
  for (const Labels *own : {&lhsLabels, &rhsLabels})
    for (const std::string &label : *own)
      if (!contains(labels, label) && !contains(summed, label))
        summed.push_back(label);
  if (summed.size() != 1)
    throw std::runtime_error("a product sums over one label, this one over " +
                             std::to_string(summed.size()));
  const std::string &over = summed[0];

  std::map<std::string, Axis> axes;
  for (size_t i = 0; i < lhsLabels.size(); ++i)
    axes[lhsLabels[i]] = lhs.axes[i];
  for (size_t i = 0; i < rhsLabels.size(); ++i)
    axes[rhsLabels[i]] = rhs.axes[i];
  std::vector<Axis> resultAxes;
  // Variables are not named after labels: schedules name variables too.
  std::vector<Var> variables = rowVariables(labels.size());
  std::map<std::string, Expr> position;
  for (size_t i = 0; i < labels.size(); ++i) {
    resultAxes.push_back(axes.at(labels[i]));
    position[labels[i]] = variables[i];
  }
  std::vector<Var> pure(variables.rbegin(), variables.rend());
  std::vector<Expr> arguments = reversed(variables);
  auto indicesOf = [&](const Labels &own) {
    Indices indices;
    for (const std::string &label : own)
      indices.push_back(position.at(label));
    return indices;
  };

  Contraction contraction;
  bool isScores = anchor == "attention" && algorithm.contractions.empty();
  // Over a length: whole blocks, so that the loop unrolls without a rest. The
  // weights of a softmax are 0 behind its end.
  bool divides = lhs.numerator && lhsLabels.back() == over;
  if (axes.at(over).isLength()) {
    if (!divides)
      throw std::runtime_error("a product over length " + axes.at(over).length +
                               " is not a softmax's");
    contraction.over =
        RDom(0, lanes, 0, (extent(axes.at(over)) + (lanes - 1)) / lanes,
             uniqueName("over"));
    position[over] = contraction.over.y * lanes + contraction.over.x;
  } else {
    contraction.over =
        RDom(0, static_cast<int>(axes.at(over).size), uniqueName("over"));
    position[over] = contraction.over;
  }

  Expr right;
  if (isScores) {
    // Keys as panels of `lanes`: a vector of keys for each channel.
    const std::string &key = labels.back();
    if (!contains(rhsLabels, key) || contains(lhsLabels, key))
      throw std::runtime_error(
          "the scores of attention need keys on the right");
    Var lane("lane"), channel("channel"), panel("panel");
    std::vector<Var> panelVariables{lane, channel, panel};
    std::vector<Expr> panelArguments{
        position.at(key) % lanes, position.at(over), position.at(key) / lanes};
    Indices source;
    for (const std::string &label : rhsLabels)
      if (label == key)
        source.push_back(panel * lanes + lane);
      else if (label == over)
        source.push_back(channel);
      else {
        panelVariables.emplace_back("family" +
                                    std::to_string(panelVariables.size()));
        panelArguments.push_back(position.at(label));
        source.push_back(panelVariables.back());
      }
    contraction.panels = Func(uniqueName("panels"));
    contraction.panels(panelVariables) = rhs.at(source);
    right = contraction.panels(panelArguments);
  } else {
    right = rhs.at(indicesOf(rhsLabels));
  }
  Expr left = divides ? lhs.numerator(indicesOf(lhsLabels))
                      : lhs.at(indicesOf(lhsLabels));

  contraction.panel = rhs.panel;
  contraction.sum = Func(uniqueName("sum"));
  contraction.sum(pure) = 0.0f;
  contraction.sum(arguments) += left * right;
  contraction.value = Func(uniqueName("product"));
  Expr value = contraction.sum(arguments);
  if (divides) {
    Labels rows = lhsLabels;
    rows.pop_back();
    value = value * lhs.divisor(indicesOf(rows));
  }
  contraction.value(pure) = value;
  algorithm.contractions.push_back(contraction);
  Func result = contraction.value;
  return {std::move(resultAxes),
          [=](const Indices &i) -> Expr {
            return result(std::vector<Expr>(i.rbegin(), i.rend()));
          },
          isScores, nullptr, nullptr};
}

} // namespace transfold::kernels
