// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A bias of keys that shifts whole rows of scores disappears.
//
//   softmax_j(q_i · (k_j + b)) = softmax_j(q_i · k_j + q_i · b)
//                              = softmax_j(q_i · k_j)
//
// Before:
//   %K = xf.add %k[i, m, c], %b[i, c] -> [i, m, c]
//   %S = xf.contract %Q[i, n, c], %K[i, m, c] -> [i, n, m]
//   %P = xf.softmax %S
// After:
//   %S = xf.contract %Q[i, n, c], %k[i, m, c] -> [i, n, m]
//   %P = xf.softmax %S
//
// Exact: q_i · b is the same for all keys j of a row, and a softmax does not
// see what is added to a whole row. Between the product and the softmax a shift
// of a row must remain one: scales keep it, and so do values that are added; a
// soft-cap does not. Keys that several queries share (repeat) have the bias
// they had, so each head's rows are shifted by a number of its own. Nothing
// else may stand between the bias and the product: not a norm, nor a rotation
// of the keys.

#include "compiler/fold/Passes.h"
#include "dialect/Labels.h"

#include <mlir/Transforms/GreedyPatternRewriteDriver.h>

namespace transfold::fold {
#define GEN_PASS_DEF_DROPKEYBIASES
#include "compiler/fold/Passes.h.inc"
} // namespace transfold::fold

using namespace mlir;
using namespace transfold;

namespace {

struct DropKeyBias : OpRewritePattern<xf::AddOp> {
  DropKeyBias(MLIRContext *context, Pass::Statistic &dropped)
      : OpRewritePattern(context), dropped(dropped) {}

  LogicalResult matchAndRewrite(xf::AddOp op,
                                PatternRewriter &rewriter) const override {
    bool isRight = op.getRhs().getDefiningOp<xf::WeightOp>() != nullptr;
    if (!isRight && !op.getLhs().getDefiningOp<xf::WeightOp>())
      return rewriter.notifyMatchFailure(op, "adds no weight");
    Value keys = isRight ? op.getLhs() : op.getRhs();
    ArrayAttr keyLabels = isRight ? op.getLhsLabels() : op.getRhsLabels();
    ArrayAttr biasLabels = isRight ? op.getRhsLabels() : op.getLhsLabels();
    if (keyLabels != op.getLabels() || keys.getType() != op.getType())
      return rewriter.notifyMatchFailure(op, "the sum has other axes");
    Operation *last = op;
    while (last->hasOneUse() && isa<xf::RepeatOp>(*last->user_begin()))
      last = *last->user_begin();
    if (!last->hasOneUse())
      return rewriter.notifyMatchFailure(op, "the keys have other readers");
    OpOperand &use = *last->use_begin();
    auto scores = dyn_cast<xf::ContractOp>(use.getOwner());
    if (!scores)
      return rewriter.notifyMatchFailure(
          op, "something stands between the bias and the scores");
    ArrayRef<Attribute> rows = scores.getLabels().getValue();
    unsigned own = use.getOperandNumber();
    ArrayAttr labels = own ? scores.getRhsLabels() : scores.getLhsLabels();
    ArrayAttr other = own ? scores.getLhsLabels() : scores.getRhsLabels();
    if (rows.empty() || xf::findLabel(other, labelOf(rows.back())))
      return rewriter.notifyMatchFailure(op,
                                         "its keys are not a row of scores");
    auto keyAxis = xf::findLabel(labels, labelOf(rows.back()));
    if (!keyAxis ||
        xf::findLabel(biasLabels, xf::getLabel(keyLabels, *keyAxis)))
      return rewriter.notifyMatchFailure(op, "the bias differs by key");
    if (!isShiftOfSoftmax(scores))
      return rewriter.notifyMatchFailure(
          op, "a shift of the scores does not reach a softmax as it is");
    rewriter.replaceOp(op, keys);
    ++dropped;
    return success();
  }

private:
  static StringRef labelOf(Attribute label) {
    return cast<StringAttr>(label).getValue();
  }

  /// A shift of each row of `value` is one of each row of a softmax, and nobody
  /// else sees it.
  static bool isShiftOfSoftmax(Value value) {
    if (!value.hasOneUse())
      return false;
    Operation *user = *value.user_begin();
    if (isa<xf::SoftmaxOp>(user))
      return user->getOperand(0) == value;
    if (isa<xf::ScaleOp>(user))
      return isShiftOfSoftmax(user->getResult(0));
    auto add = dyn_cast<xf::AddOp>(user);
    if (!add || add.getLhs() == add.getRhs())
      return false;
    ArrayAttr labels =
        add.getLhs() == value ? add.getLhsLabels() : add.getRhsLabels();
    return labels == add.getLabels() && isShiftOfSoftmax(add);
  }

  Pass::Statistic &dropped;
};

struct DropKeyBiases : fold::impl::DropKeyBiasesBase<DropKeyBiases> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    patterns.add<DropKeyBias>(&getContext(), dropped);
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))))
      signalPassFailure();
  }
};

} // namespace
