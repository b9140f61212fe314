// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Chosen rows are packed together and distributed back. Ranks are floats, as
// all values are: exact up to 2^24 rows.

#include "compiler/kernels/algorithm/numeric/HalideMath.h"
#include "compiler/kernels/algorithm/tensor/Tensor.h"

using namespace Halide;

namespace transfold::kernels {

Tensor AlgorithmBuilder::rank(const Tensor &input) {
  Func sums(uniqueName("ranks"));
  Var n("n");
  sums(n) = Halide::select(isNotZero(input.at({n})), 1.0f, 0.0f);
  RDom later(1, extent(input.axes[0]) - 1, uniqueName("later"));
  sums(later) += sums(later - 1);
  algorithm.runningSums.push_back(sums);
  return define("rank", input.axes,
                [&](const Indices &i) { return Expr(sums(i[0])); });
}

Tensor AlgorithmBuilder::pickChosen(const Tensor &input, const Tensor &ranks,
                                    std::vector<Axis> axes) {
  // The index of chosen row j is the number of rows whose rank is at most j.
  Tensor before = reduceRow(
      "before", {axes[0], ranks.axes[0]}, Join::sum(), [&](const Indices &i) {
        return Halide::select(ranks.at({i[1]}) <= cast<float>(i[0]), 1.0f,
                              0.0f);
      });
  Expr last = extent(input.axes[0]) - 1;
  return define("pick", std::move(axes), [&](const Indices &i) {
    Indices place = i;
    place[0] = clamp(cast<int>(before.at({i[0]})), 0, last);
    return input.at(place);
  });
}

Tensor AlgorithmBuilder::spreadChosen(const Tensor &input, const Tensor &ranks,
                                      std::vector<Axis> axes) {
  Expr last = extent(input.axes[0]) - 1;
  return define("spread", std::move(axes), [&](const Indices &i) {
    Expr rank = ranks.at({i[0]});
    Expr before = Halide::select(i[0] > 0, ranks.at({max(i[0] - 1, 0)}), 0.0f);
    Indices place = i;
    place[0] = clamp(cast<int>(rank) - 1, 0, last);
    return Halide::select(rank > before, input.at(place), 0.0f);
  });
}

} // namespace transfold::kernels
