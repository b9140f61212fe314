// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A definition by index as a Halide expression in double.
//
// An expensive subexpression that depends on one axis of known size only, such
// as 10000^(2c/d), is evaluated by the compiler and read from constants of the
// kernel. A sine is computed from its own angle, and not from those of other
// positions by the addition theorems, so that a position has the same bits in a
// whole sequence and in a single step.

#pragma once

#include "compiler/kernels/algorithm/tensor/Tensor.h"

namespace transfold::kernels {

/// A definition at the indices `indices`. All references must outlive the
/// object.
class Definition {
public:
  Definition(const std::vector<Axis> &axes, const std::vector<Tensor> &arrays,
             const Indices &indices)
      : axes(axes), arrays(arrays), indices(indices) {}

  /// The value of `expr`, as a double; a boolean if `expr` is a condition.
  Halide::Expr at(const IndexExpr &expr) const;

private:
  /// The element of an array that `expr` reads, at the nearest valid indices.
  Halide::Expr read(const IndexExpr &expr) const;
  /// The axis of known size that `expr` depends on, if `expr` is expensive and
  /// depends on no other axis and on no array; else nullopt.
  std::optional<int> onlyAxis(const IndexExpr &expr) const;
  /// The values of `expr` along `axis`, read from a table of constants.
  Halide::Expr constants(const IndexExpr &expr, int axis) const;

  const std::vector<Axis> &axes;
  const std::vector<Tensor> &arrays;
  const Indices &indices;
};

} // namespace transfold::kernels
