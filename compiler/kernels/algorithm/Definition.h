// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A definition by index as a Halide expression in double.
//
// What depends on one axis of known size alone and is dear (10000^(2c/d)) is
// computed while compiling and read from the kernel's own constants. A sine is
// made of its own angle, and not of those of others by the addition theorems: a
// position has the same bits in a whole sequence and in a step.

#ifndef TRANSFOLD_COMPILER_KERNELS_ALGORITHM_DEFINITION_H
#define TRANSFOLD_COMPILER_KERNELS_ALGORITHM_DEFINITION_H

#include "compiler/kernels/algorithm/Tensor.h"

namespace transfold::kernels {

/// A definition where its indices are `indices`. All references outlive it.
class Definition {
public:
  Definition(const std::vector<Axis> &axes, const std::vector<Tensor> &arrays,
             const Indices &indices)
      : axes(axes), arrays(arrays), indices(indices) {}

  /// A double; a truth for what is true or false.
  Halide::Expr at(const IndexExpr &expr) const;

private:
  Halide::Expr read(const IndexExpr &expr) const;
  /// The axis of known size that a dear expression depends on, alone.
  std::optional<int> onlyAxis(const IndexExpr &expr) const;
  /// The values of `expr` along `axis`, as constants.
  Halide::Expr constants(const IndexExpr &expr, int axis) const;

  const std::vector<Axis> &axes;
  const std::vector<Tensor> &arrays;
  const Indices &indices;
};

} // namespace transfold::kernels

#endif // TRANSFOLD_COMPILER_KERNELS_ALGORITHM_DEFINITION_H
