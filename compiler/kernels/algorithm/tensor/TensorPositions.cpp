// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Values defined by index, rounded once from double; rotations; windows. A bias
// that depends on the distance j - i only is computed once for each distance
// and not for each pair.

#include "compiler/kernels/algorithm/tensor/Definition.h"

using namespace Halide;

namespace transfold::kernels {

Tensor AlgorithmBuilder::tabulate(const IndexExpr &body,
                                  const std::vector<Tensor> &arrays,
                                  std::vector<Axis> axes, const Expr &first) {
  size_t rank = axes.size(), rows = 0;
  while (rows < rank && !axes[rows].isLength())
    ++rows;
  auto entry = [=](const Indices &i) {
    Indices absolute = i;
    if (first.defined())
      absolute[rows] += first;
    return cast<float>(Definition(axes, arrays, absolute).at(body));
  };
  bool overPairs =
      rank >= 2 && axes[rank - 1].isLength() && axes[rank - 2].isLength();
  if (!overPairs ||
      !dependsOnDistanceOnly(body, int(rank - 2), int(rank - 1), rank))
    return define("tabulate", axes, entry);

  // f(…, i, j) = distances(…, j - i), with distances(…, r) = f(…, 0, r).
  Func distances(uniqueName("distances"));
  std::vector<Var> variables = indexVariables(rank - 1);
  Indices indices(variables.begin(), variables.end());
  indices.insert(indices.end() - 1, Expr(0));
  distances(innermostFirst(variables)) =
      cast<float>(Definition(axes, arrays, indices).at(body));
  algorithm.distances.push_back(distances);
  auto at = [=](const Indices &i) {
    Indices place(i.begin(), i.end() - 2);
    Expr row = first.defined() ? i[rank - 2] + first : i[rank - 2];
    place.push_back(i[rank - 1] - row);
    return Expr(distances(innermostFirst(place)));
  };
  return {std::move(axes), at, true};
}

//===----------------------------------------------------------------------===//
// Rotations and windows
//===----------------------------------------------------------------------===//

Tensor AlgorithmBuilder::rotate(const Tensor &input, const Tensor &cosines,
                                const Tensor &sines) {
  int half = static_cast<int>(input.axes.back().size) / 2;
  return define("rotate", input.axes, [&](const Indices &i) {
    // Indices are taken modulo the number of columns, so that neither operand
    // of a select is out of range.
    Expr column = i.back(), isFirst = column < half;
    Indices other = i, angle = {i[i.size() - 2], column % half};
    other.back() = (column + half) % (2 * half);
    Expr partner = input.at(other);
    return input.at(i) * cosines.at(angle) +
           Halide::select(isFirst, -partner, partner) * sines.at(angle);
  });
}

Tensor AlgorithmBuilder::windows(const Tensor &input, int64_t stride,
                                 int64_t pad, bool isReflected,
                                 std::vector<Axis> axes) {
  Expr last = extent(input.axes[0]) - 1;
  // The windows may be a value within the kernel, whose length no argument has.
  if (axes[0].isLength())
    lengths.try_emplace(axes[0].length,
                        (last + 1 + static_cast<int>(2 * pad - axes[1].size)) /
                                static_cast<int>(stride) +
                            1);
  return define("windows", std::move(axes), [&](const Indices &i) {
    Expr row = i[0] * static_cast<int>(stride) + i[1] - static_cast<int>(pad);
    Indices place(i.begin() + 1, i.end());
    place[0] = clamp(isReflected ? last - abs(last - abs(row)) : row, 0, last);
    Expr entry = input.at(place);
    return isReflected ? entry
                       : Halide::select(row >= 0 && row <= last, entry, 0.0f);
  });
}

/// Positions before the first one are read at position 0, so that no address is
/// outside of the buffer, and replaced by zero.
Tensor AlgorithmBuilder::delay(const Tensor &input, unsigned axis, int64_t by,
                               const Expr &first, std::vector<Axis> axes) {
  return define("delay", std::move(axes), [&](const Indices &i) {
    Expr position = i[axis] - static_cast<int>(by);
    if (first.defined())
      position += first;
    Indices place = i;
    place[axis] = max(position, 0);
    return Halide::select(position >= 0, input.at(place), 0.0f);
  });
}

} // namespace transfold::kernels
