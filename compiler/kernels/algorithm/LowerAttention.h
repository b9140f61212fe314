// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The three steps of an attention, as the operations of its region come to
// them.

#ifndef TRANSFOLD_COMPILER_KERNELS_ALGORITHM_LOWERATTENTION_H
#define TRANSFOLD_COMPILER_KERNELS_ALGORITHM_LOWERATTENTION_H

#include "compiler/kernels/algorithm/AttentionBuilder.h"
#include "compiler/kernels/algorithm/AttentionOps.h"
#include "compiler/kernels/algorithm/RegionValues.h"

namespace transfold::kernels {

class AttentionLowering {
public:
  /// Throws std::runtime_error where the kernel is no attention.
  explicit AttentionLowering(xf::KernelOp kernel);

  /// Lowers `op` if it is one of the steps; whether it is.
  bool lower(RegionValues &region, mlir::Operation *op);

private:
  KeyLimits readLimits(const RegionValues &region);
  Tensor lowerScores(RegionValues &region);
  Tensor lowerMixture(RegionValues &region);
  /// Keys or values, of which `key` is the label of keys.
  AttentionBuilder::Operand fromFirstSeen(AttentionBuilder::Operand operand,
                                          const std::string &key) const;

  mlir::DictionaryAttr schedule;
  AttentionOps ops;
  /// From the scores on.
  std::optional<AttentionBuilder> builder;
  /// The first key that a row sees, where those before must not be read.
  Halide::Expr firstSeen;
  /// From the softmax on.
  std::optional<AttentionBuilder::Weights> weights;
};

} // namespace transfold::kernels

#endif // TRANSFOLD_COMPILER_KERNELS_ALGORITHM_LOWERATTENTION_H
