// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The patterns of SumsOfProducts.h. The first makes one contraction over two
// labels of a sum and a contraction, the second merges the labels.

#include "compiler/fuse/families/SumsOfProducts.h"

#include "compiler/fuse/families/LabelList.h"
#include "dialect/Labels.h"

using namespace mlir;
using namespace transfold;
using namespace transfold::fuse;

namespace {

/// Merges a sum over an axis into the contraction that computes its operand, if
/// both operands of the contraction have the axis.
struct SumOfProducts : OpRewritePattern<xf::SumOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(xf::SumOp op,
                                PatternRewriter &rewriter) const override {
    auto product = op.getInput().getDefiningOp<xf::ContractOp>();
    if (!product || !product->hasOneUse())
      return rewriter.notifyMatchFailure(op, "it does not sum a product alone");
    LabelList labels = listOf(product.getLabels());
    StringRef label = labels[op.getAxis()];
    if (!xf::findLabel(product.getLhsLabels(), label) ||
        !xf::findLabel(product.getRhsLabels(), label))
      return rewriter.notifyMatchFailure(op, "one operand has no such axis");
    if (!xf::getNumber(product.getType().getShape()[op.getAxis()]))
      return rewriter.notifyMatchFailure(op, "the axis is a length");
    if (product.sumsOverLength())
      return rewriter.notifyMatchFailure(op, "the product sums over a length");
    labels.erase(labels.begin() + op.getAxis());
    rewriter.replaceOpWithNewOp<xf::ContractOp>(
        op, product.getLhs(), product.getRhs(), product.getLhsLabels(),
        product.getRhsLabels(), rewriter.getStrArrayAttr(labels));
    return success();
  }
};

/// Merges several contracted labels, all of fixed size, into one.
struct MergeSummed : OpRewritePattern<xf::ContractOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(xf::ContractOp op,
                                PatternRewriter &rewriter) const override {
    LabelList summed;
    int64_t size = 1;
    for (auto [axis, label] : llvm::enumerate(listOf(op.getLhsLabels()))) {
      if (xf::findLabel(op.getLabels(), label))
        continue;
      auto number = xf::getNumber(op.getLhs().getType().getShape()[axis]);
      if (!number || !xf::findLabel(op.getRhsLabels(), label))
        return rewriter.notifyMatchFailure(
            op, "a summed label is a length, or of one operand only");
      size *= *number;
      summed.push_back(label);
    }
    if (summed.size() < 2)
      return rewriter.notifyMatchFailure(op, "it sums over one label");
    Value lhs = op.getLhs(), rhs = op.getRhs();
    ArrayAttr lhsLabels = merge(rewriter, op.getLoc(), lhs, op.getLhsLabels(),
                                summed, size, true);
    ArrayAttr rhsLabels = merge(rewriter, op.getLoc(), rhs, op.getRhsLabels(),
                                summed, size, false);
    rewriter.replaceOpWithNewOp<xf::ContractOp>(op, lhs, rhs, lhsLabels,
                                                rhsLabels, op.getLabels());
    return success();
  }

  /// Rearranges `value` so that the axes `summed` become one axis, the last or
  /// the first; returns the new labels.
  static ArrayAttr merge(PatternRewriter &rewriter, Location loc, Value &value,
                         ArrayAttr labels, ArrayRef<StringRef> summed,
                         int64_t size, bool isLast) {
    SmallVector<Attribute> from, to, shape;
    LabelList kept;
    for (auto [axis, label] : llvm::enumerate(listOf(labels))) {
      Attribute alone = rewriter.getStrArrayAttr({label});
      from.push_back(alone);
      if (llvm::is_contained(summed, label))
        continue;
      to.push_back(alone);
      shape.push_back(xf::getShape(value.getType())[axis]);
      kept.push_back(label);
    }
    auto place = [&](auto &list) { return isLast ? list.end() : list.begin(); };
    to.insert(place(to), rewriter.getStrArrayAttr(summed));
    shape.insert(place(shape), xf::getAxis(rewriter.getContext(), size));
    kept.insert(place(kept), summed.back());
    value = xf::RearrangeOp::create(
        rewriter, loc, xf::RealType::get(rewriter.getContext(), shape), value,
        rewriter.getArrayAttr(from), rewriter.getArrayAttr(to));
    return rewriter.getStrArrayAttr(kept);
  }
};

} // namespace

void fuse::addSumsOfProducts(RewritePatternSet &patterns) {
  patterns.add<SumOfProducts, MergeSummed>(patterns.getContext());
}
