// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Recognizes values that are zero for hidden keys, which two proofs use:
// causality and windows.

#pragma once

#include "dialect/Dialect.h"

namespace transfold::stage {

/// The masked softmax that `value` is a multiple or a rounding of, so that
/// `value` is 0 where the mask hides a key. Null if it is anything else.
inline xf::SoftmaxOp maskedSoftmaxOf(mlir::Value value) {
  mlir::Operation *op = value.getDefiningOp();
  while (mlir::isa_and_nonnull<xf::ScaleOp, xf::RoundOp>(op)) // they map 0 to 0
    op = op->getOperand(0).getDefiningOp();
  auto softmax = mlir::dyn_cast_if_present<xf::SoftmaxOp>(op);
  return softmax && softmax.getMask() ? softmax : xf::SoftmaxOp();
}

} // namespace transfold::stage
