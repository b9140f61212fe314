// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Matches the operations of an attention: a softmax between two contractions.
// This is the only place that defines the pattern and whether a kernel can be
// built around it.

#pragma once

#include "dialect/Dialect.h"

#include <optional>

namespace transfold::fuse {

/// scores = contract(q, k) → scale, cap, … → softmax → contract with v.
/// The operations of an attention:
struct AttentionPattern {
  xf::ContractOp scores;
  /// The pointwise operations from the scores to the softmax, which is the
  /// last.
  llvm::SmallVector<mlir::Operation *> chain;
  xf::SoftmaxOp softmax;
  /// The contraction of the softmax with the values.
  xf::ContractOp mixture;
};

/// The operand of a pointwise operation on scores that is the scores.
mlir::Value scoresOf(mlir::Operation *op);

/// Matches the attention around `softmax`; nullopt if the softmax is not
/// between two contractions of its block without other readers, or is over rows
/// chosen by xf.topk_mask.
std::optional<AttentionPattern> findAttention(xf::SoftmaxOp softmax);

/// Whether queries, keys and values are matrices, or have one axis of heads:
/// the case that the attention kernel supports. Anything else becomes two
/// contractions and a softmax with separate kernels.
bool isByHeads(AttentionPattern &attention);

} // namespace transfold::fuse
