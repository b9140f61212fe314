// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Matches an attention backwards from its softmax: through pointwise operations
// to the first contraction, and forward to the second.

#include "compiler/fuse/AttentionPattern.h"

#include "dialect/Labels.h"

using namespace mlir;
using namespace transfold;

Value fuse::scoresOf(Operation *op) {
  for (Value operand : op->getOperands())
    if (operand.getType() == op->getResult(0).getType())
      return operand;
  return op->getOperand(0);
}

std::optional<fuse::AttentionPattern>
fuse::findAttention(xf::SoftmaxOp softmax) {
  if (softmax.getAmong() || !softmax->hasOneUse())
    return std::nullopt; // not a mask over positions
  Block *block = softmax->getBlock();
  AttentionPattern found;
  found.softmax = softmax;
  found.chain = {softmax};
  Operation *first = softmax.getInput().getDefiningOp();
  while (first && first->getBlock() == block && first->hasOneUse() &&
         first->hasTrait<xf::Pointwise>()) {
    found.chain.push_back(first);
    first = scoresOf(first).getDefiningOp();
  }
  std::reverse(found.chain.begin(), found.chain.end());
  found.scores = dyn_cast_or_null<xf::ContractOp>(first);
  // The kernel keeps a tile of scores, so each score must be complete within
  // it.
  if (!found.scores || !found.scores->hasOneUse() ||
      found.scores->getBlock() != block ||
      found.scores.getType() != softmax.getInput().getType() ||
      found.scores.sumsOverLength())
    return std::nullopt;
  found.mixture = dyn_cast<xf::ContractOp>(*softmax->user_begin());
  if (!found.mixture || found.mixture->getBlock() != block ||
      found.mixture.getLhs().getDefiningOp() != softmax)
    return std::nullopt;
  // The values are summed along the rows of the softmax.
  ArrayAttr weights = found.mixture.getLhsLabels();
  if (weights.empty() ||
      xf::findLabel(found.mixture.getLabels(),
                    xf::getLabel(weights, weights.size() - 1)))
    return std::nullopt;
  return found;
}

bool fuse::isByHeads(AttentionPattern &attention) {
  xf::ContractOp scores = attention.scores, mixture = attention.mixture;
  ArrayAttr labels = scores.getLabels(), mixed = mixture.getLabels();
  if (labels.size() < 2 || labels.size() > 3 || mixed.size() < 2 ||
      mixed.size() > 3)
    return false;
  // Queries have the rows, and keys the columns, of the scores.
  auto has = [&](ArrayAttr operand, size_t fromEnd) {
    return xf::findLabel(operand, xf::getLabel(labels, labels.size() - fromEnd))
        .has_value();
  };
  ArrayAttr left = scores.getLhsLabels(), right = scores.getRhsLabels();
  const bool isTurned = has(left, 1);
  if (has(right, 1) == isTurned || !has(isTurned ? right : left, 2))
    return false;
  // The mixture has rows with a fixed number of channels, preceded by at most
  // one axis of heads.
  ArrayAttr weights = mixture.getLhsLabels();
  ArrayRef<Attribute> shape = mixture.getType().getShape();
  return xf::getNumber(shape.back()) &&
         !xf::findLabel(weights, xf::getLabel(mixed, mixed.size() - 1)) &&
         xf::getLabel(mixed, mixed.size() - 2) ==
             xf::getLabel(weights, weights.size() - 2) &&
         (mixed.size() == 2 || xf::getNumber(shape[0]));
}
