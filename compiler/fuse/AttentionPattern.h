// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The operations of an attention: a softmax between two products. One place
// says which they are, and whether a kernel can be built around them.

#ifndef TRANSFOLD_COMPILER_FUSE_ATTENTIONPATTERN_H
#define TRANSFOLD_COMPILER_FUSE_ATTENTIONPATTERN_H

#include "dialect/Dialect.h"

#include <optional>

namespace transfold::fuse {

/// scores = contract(q, k) → scale, cap, … → softmax → contract with v.
struct AttentionPattern {
  xf::ContractOp scores;
  /// From the scores to the softmax, which is the last.
  llvm::SmallVector<mlir::Operation *> chain;
  xf::SoftmaxOp softmax;
  xf::ContractOp mixture;
};

/// Of what is added to scores or multiplied with them, the scores.
mlir::Value scoresOf(mlir::Operation *op);

/// Nothing where a softmax is not between two products of its block that
/// nothing else reads. It has no rows chosen by `top`.
std::optional<AttentionPattern> findAttention(xf::SoftmaxOp softmax);

/// Whether queries, keys and values are matrices, or one axis of heads of them:
/// what an attention's kernel is made for. Anything else is two products and a
/// softmax, each with a kernel of its own.
bool isByHeads(AttentionPattern &attention);

} // namespace transfold::fuse

#endif // TRANSFOLD_COMPILER_FUSE_ATTENTIONPATTERN_H
