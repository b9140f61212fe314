// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Folders for the canonicalizer: operations whose result equals one of their
// operands bit for bit. Rewrites that need algebra, and round differently, are
// in compiler/fold.

#include "dialect/Labels.h"

using namespace mlir;
using namespace transfold;
using namespace transfold::xf;

/// -(-x) = x
OpFoldResult NegateOp::fold(FoldAdaptor) {
  if (auto inner = getInput().getDefiningOp<NegateOp>())
    return inner.getInput();
  return {};
}

/// x · 1 = x
OpFoldResult ScaleOp::fold(FoldAdaptor) {
  return getFactor().getValue().isOne() ? getInput() : Value();
}

/// Rounding is idempotent: round(round(x)) = round(x) for equal formats.
OpFoldResult RoundOp::fold(FoldAdaptor) {
  auto inner = getInput().getDefiningOp<RoundOp>();
  return inner && inner.getFormat() == getFormat() ? getInput() : Value();
}

/// One repetition changes nothing.
OpFoldResult RepeatOp::fold(FoldAdaptor) {
  return getTimes() == 1 ? getInput() : Value();
}

/// Replaces each label by its index in the order of first occurrence, so that
/// groups that differ only in label names compare equal.
static SmallVector<SmallVector<unsigned>>
numbered(ArrayAttr groups, SmallVectorImpl<StringRef> &seen) {
  SmallVector<SmallVector<unsigned>> numbers;
  for (auto group : groups.getAsRange<ArrayAttr>()) {
    numbers.emplace_back();
    for (StringRef label : group.getAsValueRange<StringAttr>()) {
      auto *at = llvm::find(seen, label);
      numbers.back().push_back(static_cast<unsigned>(at - seen.begin()));
      if (at == seen.end())
        seen.push_back(label);
    }
  }
  return numbers;
}

/// Folds [i, n, c] -> [i, n, c], and [n, (i c)] applied to the result of its
/// inverse [n, (i c)] -> [i, n, c].
OpFoldResult RearrangeOp::fold(FoldAdaptor) {
  if (getFrom() == getTo() && getInput().getType() == getType())
    return getInput();
  auto inner = getInput().getDefiningOp<RearrangeOp>();
  if (!inner || inner.getInput().getType() != getType())
    return {};
  // Compares both label lists at the value between the two operations: they
  // cancel if the factors there have the same order and the outer sides agree;
  // the sizes agree since the final type equals the initial one.
  SmallVector<StringRef> own, other;
  auto between = numbered(getFrom(), own),
       made = numbered(inner.getTo(), other);
  auto end = numbered(getTo(), own), begin = numbered(inner.getFrom(), other);
  return between == made && end == begin ? inner.getInput() : Value();
}
