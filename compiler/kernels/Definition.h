// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A definition by index as a Halide expression in double.
//
// What depends on one axis of known size alone and is dear (10000^(2c/d)) is
// computed while compiling and read from the kernel's own constants. Sines of
// angles that grow with the position, t w, come from those of every 64th
// position and of the first 64,
//
//   sin((64 q + r) w) = sin(64 q w) cos(r w) + cos(64 q w) sin(r w),
//
// so that 512 positions cost the sines of 72.

#ifndef TRANSFOLD_COMPILER_KERNELS_DEFINITION_H
#define TRANSFOLD_COMPILER_KERNELS_DEFINITION_H

#include "compiler/kernels/Tensor.h"

namespace transfold::kernels {

/// index · factor + rest; null is 0.
struct Multiple {
  IndexExprPtr factor, rest;
};

/// A definition where its indices are `indices`. All references outlive it.
class Definition {
public:
  /// `isFromStart`: positions begin at 0, and so many are made together that
  /// blocks pay.
  Definition(AlgorithmBuilder &builder, const std::vector<Axis> &axes,
             const std::vector<Tensor> &arrays, const Indices &indices,
             bool isFromStart)
      : builder(builder), axes(axes), arrays(arrays), indices(indices),
        isFromStart(isFromStart) {}

  /// A double; a truth for what is true or false.
  Halide::Expr at(const IndexExpr &expr) const;

private:
  Halide::Expr read(const IndexExpr &expr) const;
  /// The axis of known size that a dear expression depends on, alone.
  std::optional<int> onlyAxis(const IndexExpr &expr) const;
  /// The values of `expr` along `axis`, as constants.
  Halide::Expr constants(const IndexExpr &expr, int axis) const;
  /// Sine or cosine of an angle that grows along axis `axis`, the only length.
  Halide::Expr inBlocks(ScalarOp op, const Multiple &angle, size_t axis) const;

  AlgorithmBuilder &builder;
  const std::vector<Axis> &axes;
  const std::vector<Tensor> &arrays;
  const Indices &indices;
  bool isFromStart;
};

} // namespace transfold::kernels

#endif // TRANSFOLD_COMPILER_KERNELS_DEFINITION_H
