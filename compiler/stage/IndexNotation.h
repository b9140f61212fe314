// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operations in index notation, whichever they are.

#pragma once

#include "dialect/Dialect.h"

#include <llvm/ADT/TypeSwitch.h>

namespace transfold::stage {

/// Calls `visit` with the operation, which has the labels of each operand and
/// of the result, if `op` is in index notation; returns whether it is.
template <typename Visit> bool withLabels(mlir::Operation *op, Visit visit) {
  return llvm::TypeSwitch<mlir::Operation *, bool>(op)
      .Case<xf::AddOp, xf::SubtractOp, xf::MultiplyOp, xf::DivideOp,
            xf::MaximumOp, xf::ContractOp>([&](auto labelled) {
        visit(labelled);
        return true;
      })
      .Default(false);
}

} // namespace transfold::stage
