// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The kernel was formed around an attention (compiler/fuse), so two products
// and one softmax are enough to recognize the three steps.

#include "compiler/kernels/algorithm/lower/AttentionOps.h"

using namespace mlir;
using namespace transfold;
using namespace transfold::kernels;

// Returns the product that `value` is computed from, possibly through other
// operations; null if there is none.
static xf::ContractOp productBehind(Value value) {
  Operation *op = value.getDefiningOp();
  if (!op || isa<xf::ContractOp>(op))
    return cast_or_null<xf::ContractOp>(op);
  for (Value operand : op->getOperands())
    if (xf::ContractOp product = productBehind(operand))
      return product;
  return {};
}

std::optional<AttentionOps> kernels::findAttention(xf::KernelOp kernel) {
  SmallVector<xf::SoftmaxOp> softmaxes(
      kernel.getBody().getOps<xf::SoftmaxOp>());
  SmallVector<xf::ContractOp> products(
      kernel.getBody().getOps<xf::ContractOp>());
  if (softmaxes.size() != 1 || products.size() != 2 ||
      !softmaxes[0]->hasOneUse())
    return std::nullopt;
  AttentionOps ops;
  ops.softmax = softmaxes[0];
  ops.scores = productBehind(ops.softmax.getInput());
  ops.mixture = dyn_cast<xf::ContractOp>(*ops.softmax->user_begin());
  if (!ops.scores || !ops.mixture)
    return std::nullopt;
  return ops;
}
