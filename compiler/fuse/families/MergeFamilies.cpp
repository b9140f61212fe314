// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// -xf-merge-families: merges families of weights into the columns of one
// matrix.
//
//   Q[i] = x @ W[i] + b[i]   for all i   =   (x @ W' + b') split into heads,
//   W'[k, (i c)] = W[i, k, c],  b'[(i c)] = b[i, c]
//
// Before:
//   %q = xf.contract %x[n, k], %W[i, k, c] -> [i, n, c]
//   %r = xf.add %q[i, n, c], %b[i, c] -> [i, n, c]
// After:
//   %q = xf.contract %x[n, k], %W.merged[k, c] -> [n, c]
//   %s = xf.add %q[n, c], %b.merged[c] -> [n, c]
//   %r = xf.rearrange %s[n, (i c)] -> [i, n, c]
//
// Exact: each element of the result is the same sum of the same products. The
// rearranged weights are other views of the stored tensors (StoredViews.h); the
// rearrangement of the result moves no data (MemoryOrder.h).

#include "compiler/fuse/Passes.h"
#include "compiler/fuse/StoredViews.h"
#include "compiler/fuse/families/LabelList.h"
#include "compiler/fuse/families/SumsOfProducts.h"
#include "dialect/Labels.h"
#include "dialect/MemoryOrder.h"
#include "dialect/weights/Weights.h"

#include <mlir/IR/IRMapping.h>
#include <mlir/Transforms/GreedyPatternRewriteDriver.h>

namespace transfold::fuse {
#define GEN_PASS_DEF_MERGEFAMILIES
#include "compiler/fuse/Passes.h.inc"
} // namespace transfold::fuse

using namespace mlir;
using namespace transfold;
using xf::getLabel;

namespace {

using fuse::LabelList;

ArrayAttr groupsOf(Builder &builder, ArrayRef<LabelList> groups) {
  SmallVector<Attribute> attributes;
  for (const LabelList &group : groups)
    attributes.push_back(builder.getStrArrayAttr(group));
  return builder.getArrayAttr(attributes);
}

/// Groups of one label each.
SmallVector<LabelList> alone(ArrayRef<StringRef> labels) {
  SmallVector<LabelList> groups;
  for (StringRef label : labels)
    groups.push_back({label});
  return groups;
}

/// The product of the sizes of a group; fails if one of several labels is a
/// length.
FailureOr<Attribute> mergedAxis(MLIRContext *context, ArrayRef<StringRef> group,
                                function_ref<Attribute(StringRef)> size) {
  if (group.size() == 1)
    return size(group[0]);
  int64_t product = 1;
  for (StringRef label : group) {
    auto number = xf::getNumber(size(label));
    if (!number)
      return failure();
    product *= *number;
  }
  return xf::getAxis(context, product);
}

Value rearranged(PatternRewriter &rewriter, Location loc, Value input,
                 ArrayRef<LabelList> from, ArrayRef<LabelList> to,
                 ArrayRef<Attribute> shape) {
  return xf::RearrangeOp::create(
      rewriter, loc, xf::RealType::get(rewriter.getContext(), shape), input,
      groupsOf(rewriter, from), groupsOf(rewriter, to));
}

bool isWeight(Value value) {
  Operation *op = value.getDefiningOp();
  if (auto rearrange = dyn_cast_or_null<xf::RearrangeOp>(op))
    return isWeight(rearrange.getInput());
  return isa_and_nonnull<xf::WeightOp>(op);
}

/// Rewrites contractions with a weight as x[rows, k] @ W[k, columns].
struct MergeContraction : OpRewritePattern<xf::ContractOp> {
  MergeContraction(MLIRContext *context, Pass::Statistic &merged)
      : OpRewritePattern(context), merged(merged) {}

  LogicalResult matchAndRewrite(xf::ContractOp op,
                                PatternRewriter &rewriter) const override {
    Value x = op.getLhs(), weight = op.getRhs();
    ArrayAttr xLabels = op.getLhsLabels(), wLabels = op.getRhsLabels();
    if (isWeight(x) && !isWeight(weight)) {
      std::swap(x, weight);
      std::swap(xLabels, wLabels);
    }
    if (!isWeight(weight))
      return rewriter.notifyMatchFailure(op, "no operand is a weight");

    LabelList rows, columns, summed;
    for (StringRef label : xLabels.getAsValueRange<StringAttr>()) {
      if (!xf::findLabel(op.getLabels(), label))
        summed.push_back(label);
      else if (xf::findLabel(wLabels, label))
        return rewriter.notifyMatchFailure(
            op, "each member of a family has a weight of its own");
      else
        rows.push_back(label);
    }
    for (StringRef label : op.getLabels().getAsValueRange<StringAttr>())
      if (xf::findLabel(wLabels, label))
        columns.push_back(label);
    if (summed.size() != 1 || columns.empty())
      return rewriter.notifyMatchFailure(op, "not a product of matrices");

    LabelList wOrder = {summed[0]};
    wOrder.append(columns);
    LabelList result(rows);
    result.append(columns);
    LabelList xOrder(rows);
    xOrder.push_back(summed[0]);
    auto same = [](ArrayAttr labels, ArrayRef<StringRef> order) {
      return llvm::equal(labels.getAsValueRange<StringAttr>(), order);
    };
    if (columns.size() == 1 && x == op.getLhs() && same(xLabels, xOrder) &&
        same(wLabels, wOrder) && same(op.getLabels(), result))
      return rewriter.notifyMatchFailure(op, "already x[n, k] @ W[k, c]");

    ArrayRef<Attribute> wShape = xf::getShape(weight.getType());
    ArrayRef<Attribute> xShape = xf::getShape(x.getType());
    auto size = [&](StringRef label) -> Attribute {
      if (auto axis = xf::findLabel(wLabels, label))
        return wShape[*axis];
      return xShape[*xf::findLabel(xLabels, label)];
    };
    MLIRContext *context = op.getContext();
    auto width = mergedAxis(context, columns, size);
    if (failed(width))
      return rewriter.notifyMatchFailure(op,
                                         "a column of the weight is a length");

    Location loc = op.getLoc();
    LabelList wLabelList(wLabels.getAsValueRange<StringAttr>());
    LabelList xLabelList(xLabels.getAsValueRange<StringAttr>());
    if (columns.size() != 1 || !same(wLabels, wOrder))
      weight = rearranged(rewriter, loc, weight, alone(wLabelList),
                          {{summed[0]}, columns}, {size(summed[0]), *width});
    if (!same(xLabels, xOrder)) {
      SmallVector<Attribute> shape;
      for (StringRef label : xOrder)
        shape.push_back(size(label));
      x = rearranged(rewriter, loc, x, alone(xLabelList), alone(xOrder), shape);
    }
    StringRef column = columns.back();
    LabelList productLabels(rows);
    productLabels.push_back(column);
    Value product = xf::ContractOp::create(
        rewriter, loc, x, weight, rewriter.getStrArrayAttr(xOrder),
        rewriter.getStrArrayAttr({summed[0], column}),
        rewriter.getStrArrayAttr(productLabels));
    SmallVector<LabelList> groups = alone(rows);
    groups.push_back(columns);
    LabelList out(op.getLabels().getAsValueRange<StringAttr>());
    if (columns.size() != 1 || !same(op.getLabels(), result))
      product = rearranged(rewriter, loc, product, groups, alone(out),
                           op.getResult().getType().getShape());
    rewriter.replaceOp(op, product);
    ++merged;
    return success();
  }

  Pass::Statistic &merged;
};

/// If each member of a family has its own weight, orders the axes of W so that
/// it can be packed: W[i, k, c] with members, contracted axis, columns.
struct OrderMembers : OpRewritePattern<xf::ContractOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(xf::ContractOp op,
                                PatternRewriter &rewriter) const override {
    if (isWeight(op.getLhs()) && !isWeight(op.getRhs())) {
      rewriter.replaceOpWithNewOp<xf::ContractOp>(
          op, op.getRhs(), op.getLhs(), op.getRhsLabels(), op.getLhsLabels(),
          op.getLabels());
      return success();
    }
    LabelList members, summed, columns;
    LabelList labels(op.getRhsLabels().getAsValueRange<StringAttr>());
    for (StringRef label : labels) {
      bool isOfResult = xf::findLabel(op.getLabels(), label).has_value();
      bool isOfBoth = xf::findLabel(op.getLhsLabels(), label).has_value();
      (!isOfResult ? summed : isOfBoth ? members : columns).push_back(label);
    }
    if (!isWeight(op.getRhs()) || members.empty() || summed.size() != 1 ||
        columns.size() != 1)
      return rewriter.notifyMatchFailure(
          op, "not a product of members with weights of their own");
    LabelList order(members);
    order.append({summed[0], columns[0]});
    if (order == labels)
      return rewriter.notifyMatchFailure(op, "already in order");
    SmallVector<Attribute> shape;
    for (StringRef label : order)
      shape.push_back(xf::getShape(
          op.getRhs().getType())[*xf::findLabel(op.getRhsLabels(), label)]);
    Value weight = rearranged(rewriter, op.getLoc(), op.getRhs(), alone(labels),
                              alone(order), shape);
    rewriter.replaceOpWithNewOp<xf::ContractOp>(
        op, op.getLhs(), weight, op.getLhsLabels(),
        rewriter.getStrArrayAttr(order), op.getLabels());
    return success();
  }
};

/// f(rearrange(y)) = rearrange(f(y)) for elementwise f: moves the split of
/// heads past the operations after a contraction, so that they become one
/// kernel.
struct SinkThroughPointwise : RewritePattern {
  explicit SinkThroughPointwise(MLIRContext *context)
      : RewritePattern(MatchAnyOpTypeTag(), /*benefit=*/1, context) {}

  LogicalResult matchAndRewrite(Operation *op,
                                PatternRewriter &rewriter) const override {
    // Operations with labels name their axes: see SinkThroughBinary.
    if (!op->hasTrait<xf::Pointwise>() || op->getAttr("labels"))
      return rewriter.notifyMatchFailure(op, "not a function of one value");
    auto split = op->getOperand(0).getDefiningOp<xf::RearrangeOp>();
    if (!split || isWeight(split) || !split->hasOneUse())
      return rewriter.notifyMatchFailure(
          op, "its operand is not a rearranged value");
    IRMapping mapping;
    mapping.map(op->getOperand(0), split.getInput());
    Operation *inner = rewriter.clone(*op, mapping);
    inner->getResult(0).setType(split.getInput().getType());
    rewriter.replaceOpWithNewOp<xf::RearrangeOp>(
        op, op->getResult(0).getType(), inner->getResult(0), split.getFrom(),
        split.getTo());
    return success();
  }
};

/// rearrange(y)[i, n, c] + b[i, c] = rearrange(y[n, (i c)] + b'[(i c)]), where
/// b is a weight and has all labels of a merged axis, or none.
template <typename Op> struct SinkThroughBinary : OpRewritePattern<Op> {
  using OpRewritePattern<Op>::OpRewritePattern;

  LogicalResult matchAndRewrite(Op op,
                                PatternRewriter &rewriter) const override {
    bool swapped = !op.getLhs().template getDefiningOp<xf::RearrangeOp>() ||
                   isWeight(op.getLhs());
    Value value = swapped ? op.getRhs() : op.getLhs();
    Value other = swapped ? op.getLhs() : op.getRhs();
    ArrayAttr valueLabels = swapped ? op.getRhsLabels() : op.getLhsLabels();
    ArrayAttr otherLabels = swapped ? op.getLhsLabels() : op.getRhsLabels();
    auto split = value.template getDefiningOp<xf::RearrangeOp>();
    if (!split || isWeight(split) || !split->hasOneUse())
      return rewriter.notifyMatchFailure(op,
                                         "no operand is a rearranged value");
    if (!isWeight(other))
      return rewriter.notifyMatchFailure(op,
                                         "the other operand is not a weight");
    if (valueLabels != op.getLabels() ||
        llvm::any_of(split.getTo(), [](Attribute group) {
          return cast<ArrayAttr>(group).size() != 1;
        }))
      return rewriter.notifyMatchFailure(op, "not a plain split");

    // Maps the split's names of axes to those of the operation.
    llvm::StringMap<StringRef> named;
    for (auto [axis, group] : llvm::enumerate(split.getTo()))
      named[cast<StringAttr>(cast<ArrayAttr>(group)[0]).getValue()] =
          getLabel(valueLabels, axis);

    SmallVector<LabelList> merged; // groups of the other operand
    LabelList innerLabels, mergedLabels;
    SmallVector<Attribute> mergedShape;
    auto size = [&](StringRef label) {
      return xf::getShape(other.getType())[*xf::findLabel(otherLabels, label)];
    };
    for (auto group : split.getFrom().template getAsRange<ArrayAttr>()) {
      if (group.empty())
        return rewriter.notifyMatchFailure(op, "an axis without a label");
      LabelList present;
      for (StringRef label : group.template getAsValueRange<StringAttr>())
        if (xf::findLabel(otherLabels, named[label]))
          present.push_back(named[label]);
      innerLabels.push_back(
          named[cast<StringAttr>(group[group.size() - 1]).getValue()]);
      if (present.empty())
        continue;
      if (present.size() != group.size())
        return rewriter.notifyMatchFailure(
            op, "the weight has part of a merged axis");
      auto axis = mergedAxis(op.getContext(), present, size);
      if (failed(axis))
        return rewriter.notifyMatchFailure(op, "a merged axis has a length");
      merged.push_back(present);
      mergedLabels.push_back(innerLabels.back());
      mergedShape.push_back(*axis);
    }
    LabelList otherList(otherLabels.getAsValueRange<StringAttr>());
    Value packed = rearranged(rewriter, op.getLoc(), other, alone(otherList),
                              merged, mergedShape);
    ArrayAttr inner = rewriter.getStrArrayAttr(innerLabels);
    ArrayAttr weight = rewriter.getStrArrayAttr(mergedLabels);
    Value y = split.getInput();
    Value result = swapped ? Op::create(rewriter, op.getLoc(), packed, y,
                                        weight, inner, inner)
                           : Op::create(rewriter, op.getLoc(), y, packed, inner,
                                        weight, inner);
    rewriter.replaceOpWithNewOp<xf::RearrangeOp>(
        op, op.getResult().getType(), result, split.getFrom(), split.getTo());
    return success();
  }
};

/// Cancels a rearrangement that is the inverse of its input's.
struct CancelRearrangements : OpRewritePattern<xf::RearrangeOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(xf::RearrangeOp op,
                                PatternRewriter &rewriter) const override {
    auto inner = op.getInput().getDefiningOp<xf::RearrangeOp>();
    if (!inner || inner.getInput().getType() != op.getResult().getType())
      return rewriter.notifyMatchFailure(
          op, "its input is not rearranged from its type");
    // Rename the inner labels to the outer ones, axis by axis.
    if (inner.getTo().size() != op.getFrom().size())
      return rewriter.notifyMatchFailure(op,
                                         "the two do not match axis by axis");
    llvm::StringMap<StringRef> named;
    for (auto [a, b] : llvm::zip(inner.getTo().getAsRange<ArrayAttr>(),
                                 op.getFrom().getAsRange<ArrayAttr>())) {
      if (a.size() != b.size())
        return rewriter.notifyMatchFailure(op,
                                           "the two split an axis differently");
      for (auto [x, y] : llvm::zip(a.getAsValueRange<StringAttr>(),
                                   b.getAsValueRange<StringAttr>()))
        named[x] = y;
    }
    for (auto [a, b] : llvm::zip(inner.getFrom().getAsRange<ArrayAttr>(),
                                 op.getTo().getAsRange<ArrayAttr>())) {
      if (a.size() != b.size())
        return rewriter.notifyMatchFailure(op, "not the inverse");
      for (auto [x, y] : llvm::zip(a.getAsValueRange<StringAttr>(),
                                   b.getAsValueRange<StringAttr>()))
        if (named[x] != y)
          return rewriter.notifyMatchFailure(op, "not the inverse");
    }
    rewriter.replaceOp(op, inner.getInput());
    return success();
  }
};

struct MergeFamilies : fuse::impl::MergeFamiliesBase<MergeFamilies> {
  void runOnOperation() override {
    MLIRContext *context = &getContext();
    RewritePatternSet patterns(context);
    patterns.add<MergeContraction>(context, merged);
    patterns.add<OrderMembers>(context);
    patterns
        .add<SinkThroughPointwise, SinkThroughBinary<xf::AddOp>,
             SinkThroughBinary<xf::SubtractOp>,
             SinkThroughBinary<xf::MultiplyOp>, SinkThroughBinary<xf::DivideOp>,
             SinkThroughBinary<xf::MaximumOp>, CancelRearrangements>(context);
    fuse::addStoredViews(patterns);
    fuse::addSumsOfProducts(patterns);
    FrozenRewritePatternSet frozen(std::move(patterns));
    for (auto entry : getOperation().getOps<xf::EntryOp>())
      if (failed(applyPatternsGreedily(entry, frozen)))
        return signalPassFailure();
    xf::eraseUnusedWeights(getOperation());
  }
};

} // namespace
