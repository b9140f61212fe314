// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The formula of a softmax. TensorReductions.cpp applies it to the rows of a
// matrix, AttentionBuilder.cpp to the keys of an attention, with different
// loops.

#pragma once

#include "compiler/kernels/algorithm/tensor/TensorValue.h"

namespace transfold::kernels {

/// Whether query i sees key j.
using Mask = std::function<Halide::Expr(Halide::Expr i, Halide::Expr j)>;

/// factor · w / Σ w over the last axis, with w = 2^(exponent x) where x is seen
/// and 0 where it is not; exponent > 0.
struct Softmax {
  Halide::Expr exponent, factor;
  /// Null if all entries are seen.
  Entry isSeen = nullptr;
  /// 2^(exponent sink) is added to the sum: one sink for each member of the
  /// first axes.
  std::optional<Tensor> sink = std::nullopt;
  /// Weights are rounded to bfloat16.
  bool isRounded = false;

  /// The mask as a condition on the last two indices; null for a null mask.
  static Entry seenBy(const Mask &mask);

  /// The value of entry x at `i` that enters the maximum of its row: x, or
  /// `nothing` if it is not seen or its index is at least `end`, if that is
  /// defined.
  Halide::Expr
  compared(const Indices &i, const Halide::Expr &x,
           const Halide::Expr &end = Halide::Expr(),
           const Halide::Expr &nothing = Halide::Float(32).min()) const;
  /// 2^(exponent (x - maximum)), or 0 if x is not seen or its index is at least
  /// `end`, if that is defined.
  Halide::Expr weight(const Indices &i, const Halide::Expr &x,
                      const Halide::Expr &maximum,
                      const Halide::Expr &end) const;
  /// The factor that the weights of a row are multiplied by, from their sum.
  Halide::Expr inverse(const Indices &row, const Halide::Expr &sum,
                       const Halide::Expr &maximum) const;
};

} // namespace transfold::kernels
