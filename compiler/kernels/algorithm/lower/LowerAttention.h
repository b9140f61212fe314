// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lowers the three steps of an attention as its operations are visited in the
// region.

#pragma once

#include "compiler/kernels/algorithm/attention/AttentionBuilder.h"
#include "compiler/kernels/algorithm/lower/AttentionOps.h"
#include "compiler/kernels/algorithm/lower/RegionValues.h"

namespace transfold::kernels {

/// The lowering of a kernel that is an attention.
class AttentionLowering {
public:
  /// Throws std::runtime_error if the kernel is not an attention.
  explicit AttentionLowering(xf::KernelOp kernel);

  /// Lowers `op` if it is one of the three steps; returns whether it is.
  bool lower(RegionValues &region, mlir::Operation *op);

private:
  /// The limits of keys that the schedule gives.
  KeyLimits readLimits(const RegionValues &region);
  /// Lowers the first product, and creates the builder.
  Tensor lowerScores(RegionValues &region);
  /// Lowers the second product.
  Tensor lowerMixture(RegionValues &region);
  /// Clamps the keys or values of `operand` to `firstSeen` if that is defined;
  /// `key` is the label of keys.
  AttentionBuilder::Operand fromFirstSeen(AttentionBuilder::Operand operand,
                                          const std::string &key) const;

  xf::KernelOp kernel;
  AttentionOps ops;
  /// Set when the scores are lowered.
  std::optional<AttentionBuilder> builder;
  /// The first key that a row sees, if earlier keys must not be read.
  Halide::Expr firstSeen;
  /// Set when the softmax is lowered.
  std::optional<AttentionBuilder::Weights> weights;
};

} // namespace transfold::kernels
