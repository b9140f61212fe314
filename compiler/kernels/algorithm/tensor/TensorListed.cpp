// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rows that choose members of a family, on a device:
//
//   rank(n, e)   = Σ_{m ≤ n} [G(m, e) ≠ 0]
//   list(e, r)   = Σ_m [rank(m, e) ≤ r], or -1 where that is all m
//   take(e, r)   = x(list(e, r))
//   sum(n, c)    = Σ_{e: G(n, e) ≠ 0} G(n, e) · y(e, rank(n, e) - 1, c)
//
// The index of chosen row r of e is the number of rows whose rank is at most r.
// Each value is a sum that one thread computes, and neighboring threads have
// neighboring members or columns. Ranks and lists are floats, as all values
// are: exact up to 2^24 rows.

#include "compiler/kernels/algorithm/numeric/HalideMath.h"
#include "compiler/kernels/algorithm/tensor/ListedMark.h"
#include "compiler/kernels/algorithm/tensor/Tensor.h"

using namespace Halide;

namespace transfold::kernels {

Tensor AlgorithmBuilder::sumOfEach(
    const std::string &operation, const std::vector<Axis> &axes,
    const Axis &over, const std::function<Expr(const Indices &, RDom &)> &term,
    const std::function<Expr(const Expr &)> &finish) {
  std::vector<Var> variables = indexVariables(axes.size());
  std::vector<Var> pure = innermostFirst(variables);
  std::vector<Expr> arguments(pure.begin(), pure.end());
  ColumnReduction reduction;
  reduction.over = RDom(0, extent(over), uniqueName("over"));
  Expr entry =
      term(Indices(variables.begin(), variables.end()), reduction.over);
  reduction.sum = Func(uniqueName(operation + "_sum"));
  reduction.sum(pure) = 0.0f;
  reduction.sum(arguments) += entry;
  reduction.value = Func(uniqueName(operation));
  reduction.value(pure) = finish(reduction.sum(arguments));
  algorithm.columnReductions.push_back(reduction);
  return {axes, entriesOf(reduction.value), true};
}

Tensor AlgorithmBuilder::rankOfEach(const Tensor &input) {
  return sumOfEach(
      "ranks", input.axes, input.axes[0],
      [&](const Indices &i, RDom &before) {
        before.where(before.x <= i[0]);
        return Halide::select(isNotZero(input.at({before.x, i[1]})), 1.0f,
                              0.0f);
      },
      [](const Expr &sum) { return sum; });
}

Tensor AlgorithmBuilder::list(const Tensor &ranks) {
  Expr rows = cast<float>(extent(ranks.axes[0]));
  return sumOfEach(
      "list", {ranks.axes[1], ranks.axes[0]}, ranks.axes[0],
      [&](const Indices &i, RDom &row) {
        return Halide::select(ranks.at({row.x, i[0]}) <= cast<float>(i[1]),
                              1.0f, 0.0f);
      },
      [&](const Expr &sum) { return Halide::select(sum < rows, sum, -1.0f); });
}

Tensor AlgorithmBuilder::takeListed(const Tensor &input, const Tensor &list) {
  std::vector<Axis> axes = list.axes;
  axes.insert(axes.end(), input.axes.begin() + 1, input.axes.end());
  Expr last = extent(input.axes[0]) - 1;
  return define("take", std::move(axes), [&](const Indices &i) {
    Indices place(i.begin() + 1, i.end());
    place[0] = clamp(cast<int>(list.at({i[0], i[1]})), 0, last);
    return input.at(place);
  });
}

Tensor AlgorithmBuilder::listed(const Tensor &input, const Tensor &list) {
  // A processor has no thread blocks that could be skipped: rows past the end
  // of a list are computed, but not used.
  if (!isOnDevice)
    return input;
  const int rows = std::max(rowsOfBlock, 1);
  return define("listed", input.axes, [&](const Indices &i) {
    Expr first = list.at({i[0], i[1] / rows * rows});
    return Internal::Call::make(Float(32), listedMark, {input.at(i), first},
                                Internal::Call::PureExtern);
  });
}

Tensor AlgorithmBuilder::sumListed(const Tensor &input, const Tensor &ranks,
                                   const Tensor &weights) {
  Expr last = extent(input.axes[1]) - 1;
  return sumOfEach(
      "sum_listed", {input.axes.begin() + 1, input.axes.end()}, input.axes[0],
      [&](const Indices &i, RDom &member) {
        Expr weight = weights.at({i[0], member.x});
        // The rows of members that are not chosen are not read.
        member.where(isNotZero(weight));
        Indices place = i;
        Expr rank = cast<int>(ranks.at({i[0], member.x}));
        place[0] = clamp(rank - 1, 0, last);
        place.insert(place.begin(), member.x);
        return weight * input.at(place);
      },
      [](const Expr &sum) { return sum; });
}

} // namespace transfold::kernels
