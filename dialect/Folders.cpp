// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operations that are one of their operands, bit by bit, for the canonicalizer.
// What needs algebra, and rounds differently, is compiler/fold.

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

/// What is rounded to a format keeps its value when it is again.
OpFoldResult RoundOp::fold(FoldAdaptor) {
  auto inner = getInput().getDefiningOp<RoundOp>();
  return inner && inner.getFormat() == getFormat() ? getInput() : Value();
}

OpFoldResult RepeatOp::fold(FoldAdaptor) {
  return getTimes() == 1 ? getInput() : Value();
}

/// Labels in the order in which they are first written, as numbers: groups that
/// differ in names only are the same.
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

/// [i, n, c] -> [i, n, c], and [n, (i c)] of what was made by
/// [n, (i c)] -> [i, n, c].
OpFoldResult RearrangeOp::fold(FoldAdaptor) {
  if (getFrom() == getTo() && getInput().getType() == getType())
    return getInput();
  auto inner = getInput().getDefiningOp<RearrangeOp>();
  if (!inner || inner.getInput().getType() != getType())
    return {};
  // Where names meet, in the value between: the same order of factors, and the
  // same sizes, since it ends as it began.
  SmallVector<StringRef> own, other;
  auto between = numbered(getFrom(), own),
       made = numbered(inner.getTo(), other);
  auto end = numbered(getTo(), own), begin = numbered(inner.getFrom(), other);
  return between == made && end == begin ? inner.getInput() : Value();
}
