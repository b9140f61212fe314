// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The formula of a softmax. Rows of a matrix (TensorReductions.cpp) and rows
// over the keys of an attention (AttentionBuilder.cpp) are gone through
// differently.

#ifndef TRANSFOLD_COMPILER_KERNELS_ALGORITHM_SOFTMAX_H
#define TRANSFOLD_COMPILER_KERNELS_ALGORITHM_SOFTMAX_H

#include "compiler/kernels/algorithm/TensorValue.h"

namespace transfold::kernels {

/// Whether query i sees key j.
using Mask = std::function<Halide::Expr(Halide::Expr i, Halide::Expr j)>;

/// factor · w / Σ w over the last axis, with w = 2^(exponent x) where x is seen
/// and 0 where it is not; exponent > 0.
struct Softmax {
  Halide::Expr exponent, factor;
  /// Null where all are seen.
  Entry isSeen = nullptr;
  /// 2^(exponent sink) joins the sum: a number for each member of the first
  /// axes.
  std::optional<Tensor> sink = std::nullopt;
  /// Weights are bfloat16.
  bool isRounded = false;

  /// What a mask says of the last two indices; null for none.
  static Entry seenBy(const Mask &mask);

  /// Of entry x at `i`, what the maximum of its row is taken of. From index
  /// `end` on, where that is defined, it is `nothing`, as where x is not seen.
  Halide::Expr
  compared(const Indices &i, const Halide::Expr &x,
           const Halide::Expr &end = Halide::Expr(),
           const Halide::Expr &nothing = Halide::Float(32).min()) const;
  /// 2^(exponent (x - maximum)). From index `end` on, where that is defined, it
  /// is 0.
  Halide::Expr weight(const Indices &i, const Halide::Expr &x,
                      const Halide::Expr &maximum,
                      const Halide::Expr &end) const;
  /// What the weights of a row are multiplied by, from their sum.
  Halide::Expr inverse(const Indices &row, const Halide::Expr &sum,
                       const Halide::Expr &maximum) const;
};

} // namespace transfold::kernels

#endif // TRANSFOLD_COMPILER_KERNELS_ALGORITHM_SOFTMAX_H
