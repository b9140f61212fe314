// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which operations of a kernel are the three steps of an attention.

#ifndef TRANSFOLD_COMPILER_KERNELS_ALGORITHM_ATTENTIONOPS_H
#define TRANSFOLD_COMPILER_KERNELS_ALGORITHM_ATTENTIONOPS_H

#include "dialect/Dialect.h"

#include <optional>

namespace transfold::kernels {

struct AttentionOps {
  /// Feeds the softmax, which alone feeds the mixture.
  xf::ContractOp scores;
  xf::SoftmaxOp softmax;
  xf::ContractOp mixture;

  /// Whether the mixture has its values on the left.
  bool isMixtureTurned() {
    return mixture.getLhs().getDefiningOp() != softmax.getOperation();
  }
  /// The labels that the mixture has for the axes of the softmax.
  mlir::ArrayAttr weightLabels() {
    return isMixtureTurned() ? mixture.getRhsLabels() : mixture.getLhsLabels();
  }
};

/// Nothing where the kernel is not two products around one softmax.
std::optional<AttentionOps> findAttention(xf::KernelOp kernel);

} // namespace transfold::kernels

#endif // TRANSFOLD_COMPILER_KERNELS_ALGORITHM_ATTENTIONOPS_H
