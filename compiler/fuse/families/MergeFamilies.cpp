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

/// The attribute of a rearrangement's side.
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

/// `input` with its axes regrouped; `shape` is that of the result.
Value rearranged(PatternRewriter &rewriter, Location loc, Value input,
                 ArrayRef<LabelList> from, ArrayRef<LabelList> to,
                 ArrayRef<Attribute> shape) {
  return xf::RearrangeOp::create(
      rewriter, loc, xf::RealType::get(rewriter.getContext(), shape), input,
      groupsOf(rewriter, from), groupsOf(rewriter, to));
}

/// Whether a value is a weight or a rearrangement of one, which becomes another
/// view of the stored tensor and costs nothing.
bool isWeight(Value value) {
  Operation *op = value.getDefiningOp();
  if (auto rearrange = dyn_cast_or_null<xf::RearrangeOp>(op))
    return isWeight(rearrange.getInput());
  return isa_and_nonnull<xf::WeightOp>(op);
}

/// Whether `labels` are those of `order`, in the same order.
bool haveOrder(ArrayAttr labels, ArrayRef<StringRef> order) {
  return llvm::equal(labels.getAsValueRange<StringAttr>(), order);
}

/// A contraction of x with a weight, and the roles of its labels.
struct WeightProduct {
  Value x, weight;
  ArrayAttr xLabels, wLabels;
  LabelList rows = {}, columns = {};
  LabelList summed = {}; // one label

  /// Determines the roles of the labels of `op`. Fails, and notifies the
  /// rewriter of the reason, if it is not a product of matrices.
  static FailureOr<WeightProduct> match(xf::ContractOp op,
                                        PatternRewriter &rewriter) {
    WeightProduct product{op.getLhs(), op.getRhs(), op.getLhsLabels(),
                          op.getRhsLabels()};
    if (isWeight(product.x) && !isWeight(product.weight)) {
      std::swap(product.x, product.weight);
      std::swap(product.xLabels, product.wLabels);
    }
    if (!isWeight(product.weight))
      return rewriter.notifyMatchFailure(op, "no operand is a weight");

    for (StringRef label : product.xLabels.getAsValueRange<StringAttr>()) {
      if (!xf::findLabel(op.getLabels(), label))
        product.summed.push_back(label);
      else if (xf::findLabel(product.wLabels, label))
        return rewriter.notifyMatchFailure(
            op, "each member of a family has a weight of its own");
      else
        product.rows.push_back(label);
    }
    for (StringRef label : op.getLabels().getAsValueRange<StringAttr>())
      if (xf::findLabel(product.wLabels, label))
        product.columns.push_back(label);
    if (product.summed.size() != 1 || product.columns.empty())
      return rewriter.notifyMatchFailure(op, "not a product of matrices");
    return product;
  }

  /// The labels of x[rows, k].
  LabelList xOrder() const {
    LabelList order(rows);
    order.push_back(summed[0]);
    return order;
  }

  /// The labels of W[k, columns].
  LabelList wOrder() const {
    LabelList order = {summed[0]};
    order.append(columns);
    return order;
  }

  /// The labels of the product of both, [rows, columns].
  LabelList resultOrder() const {
    LabelList order(rows);
    order.append(columns);
    return order;
  }

  /// The size of the axis with this label.
  Attribute size(StringRef label) const {
    if (auto axis = xf::findLabel(wLabels, label))
      return xf::getShape(weight.getType())[*axis];
    return xf::getShape(x.getType())[*xf::findLabel(xLabels, label)];
  }

  /// Whether `op` is already x[n, k] @ W[k, c].
  bool isMerged(xf::ContractOp op) const {
    return columns.size() == 1 && x == op.getLhs() &&
           haveOrder(xLabels, xOrder()) && haveOrder(wLabels, wOrder()) &&
           haveOrder(op.getLabels(), resultOrder());
  }
};

/// Rewrites contractions with a weight as x[rows, k] @ W[k, columns].
struct MergeContraction : OpRewritePattern<xf::ContractOp> {
  MergeContraction(MLIRContext *context, Pass::Statistic &merged)
      : OpRewritePattern(context), merged(merged) {}

  LogicalResult matchAndRewrite(xf::ContractOp op,
                                PatternRewriter &rewriter) const override {
    auto product = WeightProduct::match(op, rewriter);
    if (failed(product))
      return failure();
    if (product->isMerged(op))
      return rewriter.notifyMatchFailure(op, "already x[n, k] @ W[k, c]");
    auto width =
        mergedAxis(op.getContext(), product->columns,
                   [&](StringRef label) { return product->size(label); });
    if (failed(width))
      return rewriter.notifyMatchFailure(op,
                                         "a column of the weight is a length");
    rewriter.replaceOp(op, mergedProduct(op, *product, *width, rewriter));
    ++merged;
    return success();
  }

  /// Creates the product with an axis of `width` merged columns, and splits it
  /// into the axes of `op`.
  static Value mergedProduct(xf::ContractOp op, const WeightProduct &factors,
                             Attribute width, PatternRewriter &rewriter) {
    Location loc = op.getLoc();
    const LabelList &columns = factors.columns;
    StringRef summed = factors.summed[0];
    Value x = factors.x, weight = factors.weight;
    if (columns.size() != 1 || !haveOrder(factors.wLabels, factors.wOrder()))
      weight = rearranged(rewriter, loc, weight,
                          alone(fuse::listOf(factors.wLabels)),
                          {{summed}, columns}, {factors.size(summed), width});
    const LabelList xOrder = factors.xOrder();
    if (!haveOrder(factors.xLabels, xOrder)) {
      SmallVector<Attribute> shape;
      for (StringRef label : xOrder)
        shape.push_back(factors.size(label));
      x = rearranged(rewriter, loc, x, alone(fuse::listOf(factors.xLabels)),
                     alone(xOrder), shape);
    }
    StringRef column = columns.back();
    LabelList productLabels(factors.rows);
    productLabels.push_back(column);
    Value product = xf::ContractOp::create(
        rewriter, loc, x, weight, rewriter.getStrArrayAttr(xOrder),
        rewriter.getStrArrayAttr({summed, column}),
        rewriter.getStrArrayAttr(productLabels));
    SmallVector<LabelList> groups = alone(factors.rows);
    groups.push_back(columns);
    if (columns.size() != 1 ||
        !haveOrder(op.getLabels(), factors.resultOrder()))
      product = rearranged(rewriter, loc, product, groups,
                           alone(fuse::listOf(op.getLabels())),
                           op.getResult().getType().getShape());
    return product;
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
      // Without this test the pattern would apply to its own result forever.
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

/// The operands of a binary operation: a value whose axes were split, and a
/// weight; each with its labels.
struct SplitAndWeight {
  xf::RearrangeOp split;
  ArrayAttr splitLabels;
  Value weight;
  ArrayAttr weightLabels;
};

/// The axes of the operation on the input of the split.
struct MergedAxes {
  LabelList inputLabels;         // of the input of the split
  SmallVector<LabelList> groups; // the labels of each merged axis of the weight
  LabelList weightLabels;        // of the merged axes
  SmallVector<Attribute> shape;  // of the merged weight
};

/// Returns the axes of `op` before the split. Fails, and notifies the rewriter
/// of the reason, if the axes of the weight cannot be merged likewise.
FailureOr<MergedAxes> axesBeforeSplit(Operation *op,
                                      const SplitAndWeight &operands,
                                      PatternRewriter &rewriter) {
  xf::RearrangeOp split = operands.split;
  // Maps the split's names of axes to those of the operation.
  llvm::StringMap<StringRef> named;
  for (auto [axis, group] : llvm::enumerate(split.getTo()))
    named[cast<StringAttr>(cast<ArrayAttr>(group)[0]).getValue()] =
        getLabel(operands.splitLabels, axis);

  MergedAxes axes;
  auto size = [&](StringRef label) {
    return xf::getShape(operands.weight.getType())[*xf::findLabel(
        operands.weightLabels, label)];
  };
  for (auto group : split.getFrom().getAsRange<ArrayAttr>()) {
    if (group.empty())
      return rewriter.notifyMatchFailure(op, "an axis without a label");
    LabelList present;
    for (StringRef label : group.getAsValueRange<StringAttr>())
      if (xf::findLabel(operands.weightLabels, named[label]))
        present.push_back(named[label]);
    axes.inputLabels.push_back(
        named[cast<StringAttr>(group[group.size() - 1]).getValue()]);
    if (present.empty())
      continue;
    if (present.size() != group.size())
      return rewriter.notifyMatchFailure(
          op, "the weight has part of a merged axis");
    auto axis = mergedAxis(op->getContext(), present, size);
    if (failed(axis))
      return rewriter.notifyMatchFailure(op, "a merged axis has a length");
    axes.groups.push_back(present);
    axes.weightLabels.push_back(axes.inputLabels.back());
    axes.shape.push_back(*axis);
  }
  return axes;
}

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

    auto axes =
        axesBeforeSplit(op, {split, valueLabels, other, otherLabels}, rewriter);
    if (failed(axes))
      return failure();
    Value packed =
        rearranged(rewriter, op.getLoc(), other,
                   alone(fuse::listOf(otherLabels)), axes->groups, axes->shape);
    ArrayAttr inner = rewriter.getStrArrayAttr(axes->inputLabels);
    ArrayAttr weight = rewriter.getStrArrayAttr(axes->weightLabels);
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
