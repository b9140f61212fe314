// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The arithmetic of views: an axis of a layout is a list of factors (size,
// stride), and each pattern rewrites such lists.

#include "compiler/fuse/StoredViews.h"

#include "dialect/Labels.h"
#include "dialect/weights/TensorNames.h"
#include "dialect/weights/Weights.h"

using namespace mlir;
using namespace transfold;
using xf::getLabel;

namespace {

/// The factors of an axis in a stored tensor, slowest first: (size, stride).
using Factors = SmallVector<std::pair<int64_t, int64_t>>;

/// Splits the fastest `size` positions off `factors`; nullopt if that would cut
/// a factor unevenly.
std::optional<Factors> cutFastest(Factors &factors, int64_t size) {
  Factors taken;
  while (size > 1) {
    if (factors.empty())
      return std::nullopt;
    auto [whole, stride] = factors.pop_back_val();
    if (size % whole == 0) {
      taken.insert(taken.begin(), {whole, stride});
      size /= whole;
    } else if (whole % size == 0) {
      taken.insert(taken.begin(), {size, stride});
      factors.push_back({whole / size, stride * size});
      size = 1;
    } else {
      return std::nullopt;
    }
  }
  return taken;
}

/// The factors of each axis of a layout.
SmallVector<Factors> factorsOf(xf::LayoutAttr layout) {
  SmallVector<Factors> axes;
  int64_t next = 0;
  for (int64_t count : layout.getFactorCounts()) {
    axes.emplace_back();
    for (int64_t k = 0; k < count; ++k, ++next)
      axes.back().push_back(
          {layout.getSizes()[next], layout.getStrides()[next]});
  }
  return axes;
}

/// The layout with these factors of each axis.
xf::LayoutAttr layoutOf(MLIRContext *context, int64_t offset,
                        ArrayRef<Factors> axes) {
  SmallVector<int64_t> counts, sizes, strides;
  for (const Factors &factors : axes) {
    counts.push_back(static_cast<int64_t>(factors.size()));
    for (auto [size, stride] : factors) {
      sizes.push_back(size);
      strides.push_back(stride);
    }
  }
  return xf::LayoutAttr::get(context, offset, counts, sizes, strides);
}

/// The positions `first` … `first + count - 1` of an axis as factors, and their
/// offset; nullopt if they are not expressible as an axis of constant strides.
std::optional<std::pair<Factors, int64_t>>
cutRange(Factors factors, int64_t first, int64_t count) {
  int64_t offset = 0;
  while (!factors.empty()) {
    auto [size, stride] = factors.front();
    int64_t inner = 1; // positions per step of the slowest factor
    for (auto [other, ignored] : ArrayRef(factors).drop_front())
      inner *= other;
    if (first % inner == 0 && count % inner == 0) {
      factors.front().first = count / inner;
      return std::pair(factors, offset + first / inner * stride);
    }
    if (first / inner != (first + count - 1) / inner)
      return std::nullopt;
    offset += first / inner * stride;
    first %= inner;
    factors.erase(factors.begin());
  }
  return std::pair(factors, offset); // an axis with a single position
}

/// Whether two weights are equal except for their names.
bool isSame(xf::StoredOp a, xf::StoredOp b) {
  return a.getType() == b.getType() && a.getLayout() == b.getLayout() &&
         a.getSource() == b.getSource() && a.getChain() == b.getChain() &&
         a.getTimes() == b.getTimes() && a.getRounded() == b.getRounded() &&
         a.getApart() == b.getApart() && a.getEqualized() == b.getEqualized() &&
         a.getWeighing() == b.getWeighing() &&
         OperationEquivalence::isRegionEquivalentTo(
             &a.getDerivation(), &b.getDerivation(),
             OperationEquivalence::IgnoreLocations);
}

/// Replaces `op` by a read of a copy of the weight, modified by `change`, under
/// the first of the names base, base + separator + 2, … that is free or names
/// an equal weight. A new one is declared before `place`, next to the original.
void replaceByStored(PatternRewriter &rewriter, Operation *op,
                     xf::WeightOp weight, Block::iterator place,
                     const Twine &base, StringRef separator,
                     function_ref<void(xf::StoredOp)> change) {
  auto type = cast<xf::RealType>(op->getResult(0).getType());
  xf::StoredOp view;
  {
    OpBuilder::InsertionGuard guard(rewriter);
    rewriter.setInsertionPoint(xf::storedOf(weight)->getBlock(), place);
    view = cast<xf::StoredOp>(rewriter.clone(*xf::storedOf(weight)));
  }
  view.setType(type);
  change(view);
  auto module = op->getParentOfType<ModuleOp>();
  std::string first = base.str(), name = first;
  for (unsigned number = 2;; ++number) {
    Operation *taken = module.lookupSymbol(name);
    if (!taken)
      break;
    auto existing = dyn_cast<xf::StoredOp>(taken);
    if (existing && existing != view && isSame(existing, view)) {
      rewriter.eraseOp(view);
      view = existing;
      break;
    }
    name = first + separator.str() + std::to_string(number);
  }
  view.setSymName(name);
  rewriter.replaceOpWithNewOp<xf::WeightOp>(op, type, name,
                                            weight.getIndices());
}

/// Replaces `op` by a read of the same tensor with other axes, `offset`
/// elements after its first one, under the weight's name and `suffix`.
void replaceByView(PatternRewriter &rewriter, Operation *op,
                   xf::WeightOp weight, int64_t offset, ArrayRef<Factors> axes,
                   StringRef suffix = ".part") {
  xf::StoredOp stored = xf::storedOf(weight);
  xf::LayoutAttr before = stored.getLayout();
  xf::LayoutAttr layout =
      layoutOf(op->getContext(), before.getOffset() + offset, axes);
  replaceByStored(rewriter, op, weight, std::next(stored->getIterator()),
                  stored.getSymName() + suffix, "",
                  [&](xf::StoredOp view) { view.setLayoutAttr(layout); });
}

/// rearrange(weight) becomes another view of the stored tensor: the factors of
/// merged axes become adjacent in its layout, those of split axes separate.
struct RearrangeStored : OpRewritePattern<xf::RearrangeOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(xf::RearrangeOp op,
                                PatternRewriter &rewriter) const override {
    auto weight = op.getInput().getDefiningOp<xf::WeightOp>();
    if (!weight)
      return rewriter.notifyMatchFailure(op, "its input is not a weight");
    xf::StoredOp stored = xf::storedOf(weight);

    llvm::StringMap<int64_t> labelSizes;
    for (auto [type, groups] :
         {std::pair(op.getInput().getType(), op.getFrom()),
          std::pair(op.getResult().getType(), op.getTo())})
      for (auto [axis, group] :
           llvm::zip(type.getShape(), groups.getAsRange<ArrayAttr>()))
        if (group.size() == 1)
          labelSizes[getLabel(group, 0)] = *xf::getNumber(axis);

    llvm::StringMap<Factors> byLabel;
    for (auto [factors, group] :
         llvm::zip(factorsOf(stored.getLayout()),
                   op.getFrom().getAsRange<ArrayAttr>())) {
      for (auto label : llvm::reverse(group.getAsRange<StringAttr>())) {
        auto size = labelSizes.find(label);
        if (size == labelSizes.end())
          return rewriter.notifyMatchFailure(
              op, "a label of a split axis is nowhere alone");
        auto taken = cutFastest(factors, size->second);
        if (!taken)
          return rewriter.notifyMatchFailure(
              op, "an axis is split across a factor of its layout");
        byLabel[label] = *taken;
      }
    }
    SmallVector<Factors> axes;
    for (auto group : op.getTo().getAsRange<ArrayAttr>()) {
      axes.emplace_back();
      for (StringRef label : group.getAsValueRange<StringAttr>())
        axes.back().append(byLabel[label]);
    }
    replaceByView(rewriter, op, weight, 0, axes, ".merged");
    return success();
  }
};

/// Whether each position of an axis is a separate tensor.
bool isAxisOfTensors(xf::StoredOp stored, const Factors &factors) {
  xf::SourceAttr source = stored.getSourceAttr();
  xf::TensorsAttr tensors = source ? source.getTensors() : xf::TensorsAttr();
  return tensors && tensors.getExtents().size() == 1 && factors.size() == 1 &&
         factors[0].first == tensors.getExtents()[0] &&
         factors[0].second == tensors.getSize();
}

/// Replaces `op` by a read of tensor `number` of those of `weight`.
void replaceByTensor(PatternRewriter &rewriter, Operation *op,
                     xf::WeightOp weight, int64_t number,
                     xf::LayoutAttr layout) {
  xf::StoredOp stored = xf::storedOf(weight);
  xf::SourceAttr source = stored.getSourceAttr();
  xf::TensorsAttr tensors = source.getTensors();
  StringRef index = cast<StringAttr>(tensors.getIndices()[0]).getValue();
  replaceByStored(
      rewriter, op, weight, stored->getIterator(),
      stored.getSymName() + "." + Twine(number), ".", [&](xf::StoredOp tensor) {
        std::string name = xf::memberName(source.getName(), {index},
                                          tensors.getExtents(), number);
        tensor.setSourceAttr(xf::SourceAttr::get(
            op->getContext(), StringAttr::get(op->getContext(), name),
            source.getFormat(), xf::TensorsAttr(), source.getStep(),
            source.getAdded()));
        tensor.setLayoutAttr(layout);
      });
}

/// A selected position of an axis becomes a view at an offset, without the
/// axis.
struct SelectStored : OpRewritePattern<xf::SelectOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(xf::SelectOp op,
                                PatternRewriter &rewriter) const override {
    auto weight = op.getInput().getDefiningOp<xf::WeightOp>();
    if (!weight)
      return rewriter.notifyMatchFailure(op, "its input is not a weight");
    xf::StoredOp stored = xf::storedOf(weight);
    xf::LayoutAttr layout = stored.getLayout();
    SmallVector<Factors> axes = factorsOf(layout);
    int64_t position = op.getPosition();
    if (position < 0)
      position += layout.getExtent(op.getAxis());
    if (isAxisOfTensors(stored, axes[op.getAxis()])) {
      axes.erase(axes.begin() + op.getAxis());
      replaceByTensor(rewriter, op, weight, position,
                      layoutOf(op.getContext(), layout.getOffset(), axes));
      return success();
    }
    auto cut = cutRange(axes[op.getAxis()], position, 1);
    if (!cut)
      return rewriter.notifyMatchFailure(op, "its axis has no such position");
    axes.erase(axes.begin() + op.getAxis());
    replaceByView(rewriter, op, weight, cut->second, axes);
    return success();
  }
};

/// Consecutive positions of an axis likewise.
struct SliceStored : OpRewritePattern<xf::SliceOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(xf::SliceOp op,
                                PatternRewriter &rewriter) const override {
    auto weight = op.getInput().getDefiningOp<xf::WeightOp>();
    auto count =
        xf::getNumber(xf::getShape(op.getResult().getType())[op.getAxis()]);
    if (!weight || !count || op.getFirst())
      return rewriter.notifyMatchFailure(
          op, "it does not take a fixed number of positions of a weight");
    SmallVector<Factors> axes = factorsOf(xf::storedOf(weight).getLayout());
    auto cut = cutRange(axes[op.getAxis()], op.getOffset(), *count);
    if (!cut)
      return rewriter.notifyMatchFailure(
          op, "its positions are not an axis with a constant step");
    axes[op.getAxis()] = cut->first;
    replaceByView(rewriter, op, weight, cut->second, axes);
    return success();
  }
};

/// Repeated positions become a factor with stride 0.
struct RepeatStored : OpRewritePattern<xf::RepeatOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(xf::RepeatOp op,
                                PatternRewriter &rewriter) const override {
    auto weight = op.getInput().getDefiningOp<xf::WeightOp>();
    if (!weight)
      return rewriter.notifyMatchFailure(op, "its input is not a weight");
    SmallVector<Factors> axes = factorsOf(xf::storedOf(weight).getLayout());
    axes[op.getAxis()].push_back({op.getTimes(), 0});
    replaceByView(rewriter, op, weight, 0, axes);
    return success();
  }
};

} // namespace

void fuse::addStoredViews(RewritePatternSet &patterns) {
  patterns.add<RearrangeStored, RepeatStored, SelectStored, SliceStored>(
      patterns.getContext());
}
