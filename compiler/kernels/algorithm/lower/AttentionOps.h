// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds the operations of a kernel that are the three steps of an attention.

#pragma once

#include "dialect/Dialect.h"

#include <optional>

namespace transfold::kernels {

/// The operations of a kernel that are the three steps of an attention.
struct AttentionOps {
  /// Its result leads to the input of the softmax, whose only user is the
  /// mixture.
  xf::ContractOp scores;
  xf::SoftmaxOp softmax;
  xf::ContractOp mixture;

  /// Whether the mixture has its values as the left operand.
  bool isMixtureTurned() {
    return mixture.getLhs().getDefiningOp() != softmax.getOperation();
  }
  /// The labels of the mixture for the axes of the softmax.
  mlir::ArrayAttr weightLabels() {
    return isMixtureTurned() ? mixture.getRhsLabels() : mixture.getLhsLabels();
  }
};

/// Returns nullopt if the kernel is not two products around one softmax.
std::optional<AttentionOps> findAttention(xf::KernelOp kernel);

} // namespace transfold::kernels
