// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// -xf-bound-windows: a cache whose readers look back at most w positions keeps
// only w.
//
//   softmax(Q @ K' | M) @ V,   M[i, j] ⟹ i - j < w
//
// Before:
//   xf.cache @decode.0 : <2, n, 16>
//     %K = xf.cache_read @decode.0 : <2, n.seen, 16>
//     %S = xf.contract %Q[i, r, k], %K[i, c, k] -> [i, r, c]
//     %P = xf.softmax %S from %first where [j <= i, i - j <= 4] : …
// After:
//   xf.cache @decode.0 : <2, n, 16> window 5
//
// Exact. Row r of a step is at position i = first + r, so i - j < w implies j >
// first - w: a step from position p on reads no row before p - w + 1. Three
// kinds of reads are bounded. Keys: the scores computed from them are read by a
// softmax that replaces the score of each hidden key, whatever it was. Values:
// they are multiplied with a softmax that is 0 for each hidden key. So rows
// before p - w + 1 may have any finite values: zeros, where their memory was
// released. Earlier rows: x[t - j] reads j positions back, so w = j + 1.
//
// The bound of a mask is proven: it is the largest i - j in the set of its
// comparisons. The window is the maximum over all readers; if one reader is
// unbounded or not recognized, there is no window.

#include "compiler/stage/BindingTimes.h"
#include "compiler/stage/MaskedSoftmax.h"
#include "compiler/stage/Passes.h"
#include "dialect/Labels.h"
#include "dialect/positions/Mask.h"

#include <llvm/ADT/MapVector.h>

namespace transfold::stage {
#define GEN_PASS_DEF_BOUNDWINDOWS
#include "compiler/stage/Passes.h.inc"
} // namespace transfold::stage

using namespace mlir;
using namespace transfold;
using namespace transfold::stage;

namespace {

/// The number of positions that are read, including the reader's; nullopt: all.
using Window = std::optional<int64_t>;

/// The readers of the cached values of one entry: how far before the first row
/// of a step they look. It follows uses forward and gives up, with nullopt, at
/// any operation that it does not know.
class Readers {
public:
  explicit Readers(xf::EntryOp step) : first(step.getFirst()) {
    seen = xf::EntryOp::getSeen(
        step.getArgAttrOfType<StringAttr>(first.getArgNumber(), "xf.first_of"));
  }

  /// Whether a value has one axis over all rows so far.
  bool isOfSequence(Value value) const {
    return axesAlong(value.getType(), seen).size() == 1;
  }

  /// The window of all readers of unmodified cached rows: keys, values or
  /// earlier rows.
  Window ofRows(Value rows) const {
    return ofUses(rows, [&](OpOperand &use) -> Window {
      Operation *op = use.getOwner();
      if (isa<xf::RepeatOp, xf::RearrangeOp>(op) ||
          (isa<xf::SliceOp>(op) && isOfSequence(op->getResult(0))))
        return ofRows(op->getResult(0));
      if (auto delay = dyn_cast<xf::DelayOp>(op);
          delay && delay.getFirst() == first)
        return static_cast<int64_t>(delay.getBy()) + 1;
      auto product = dyn_cast<xf::ContractOp>(op);
      if (!product)
        return std::nullopt;
      return isOfSequence(product.getResult()) ? ofScores(product.getResult())
                                               : ofSum(product, use);
    });
  }

private:
  BlockArgument first;
  StringAttr seen;

  /// The largest window of all uses; nullopt if one of them has none. A value
  /// without uses has a window of 1.
  template <typename Function>
  static Window ofUses(Value value, Function ofUse) {
    int64_t window = 1;
    for (OpOperand &use : value.getUses())
      if (Window own = ofUse(use))
        window = std::max(window, *own);
      else
        return std::nullopt;
    return window;
  }

  /// The window of all readers of a value with a column for each key.
  /// Operations that process columns independently produce another such value.
  Window ofScores(Value scores) const {
    return ofUses(scores, [&](OpOperand &use) -> Window {
      Operation *op = use.getOwner();
      if (auto softmax = dyn_cast<xf::SoftmaxOp>(op);
          softmax && softmax.getType().getShape().back() == seen)
        return ofMask(softmax);
      auto law = dyn_cast<xf::BatchLawInterface>(op);
      if (!law || law.getBatchLaw() != xf::BatchLaw::Rows ||
          op->getNumResults() != 1 || !isOfSequence(op->getResult(0)))
        return std::nullopt;
      return ofScores(op->getResult(0));
    });
  }

  /// The window of a sum over all keys: those for which the other operand is
  /// not 0.
  Window ofSum(xf::ContractOp product, OpOperand &use) const {
    bool isLeft = use.getOperandNumber() == 0;
    Value other = isLeft ? product.getRhs() : product.getLhs();
    ArrayAttr own = isLeft ? product.getLhsLabels() : product.getRhsLabels();
    ArrayAttr others = isLeft ? product.getRhsLabels() : product.getLhsLabels();
    unsigned keys = axesAlong(use.get().getType(), seen).front();
    xf::SoftmaxOp softmax = maskedSoftmaxOf(other);
    if (!softmax ||
        xf::getLabel(others, others.size() - 1) != xf::getLabel(own, keys))
      return std::nullopt;
    return ofMask(softmax);
  }

  /// The window of a mask whose rows are those of the step: i - j ≤ back means
  /// back + 1 positions, including the query's own. The proof is about rows at
  /// first + r, so a softmax over other rows has no window.
  Window ofMask(xf::SoftmaxOp softmax) const {
    xf::MaskAttr mask = softmax.getMaskAttr();
    if (!mask || softmax.getFirst() != first)
      return std::nullopt;
    auto back = mask.getFarthestBack();
    if (!back || *back >= xf::mostPositions)
      return std::nullopt; // a sequence cannot be longer
    return std::max<int64_t>(*back, 0) + 1;
  }
};

struct BoundWindows : stage::impl::BoundWindowsBase<BoundWindows> {
  using BoundWindowsBase::BoundWindowsBase;

  void runOnOperation() override {
    llvm::MapVector<xf::CacheOp, Window> windows;
    for (auto entry : getOperation().getOps<xf::EntryOp>())
      if (entry.getFirst())
        visit(entry, windows);
    for (auto [cache, window] : windows)
      if (window) {
        cache.setWindow(*window);
        ++bounded;
      }
  }

private:
  /// Joins the windows of all caches that `step` reads into `windows`. Several
  /// layers read one cache, so a cache without a window for one reader keeps
  /// all rows.
  static void visit(xf::EntryOp step,
                    llvm::MapVector<xf::CacheOp, Window> &windows) {
    Readers readers(step);
    step.walk([&](xf::CacheReadOp recall) {
      if (!readers.isOfSequence(recall.getResult()))
        return; // a value of the request
      Window window = readers.ofRows(recall.getResult());
      auto [found, isNew] =
          windows.try_emplace(SymbolTable::lookupNearestSymbolFrom<xf::CacheOp>(
                                  recall, recall.getCacheAttr()),
                              window);
      Window &all = found->second;
      if (!isNew)
        all = all && window ? Window(std::max(*all, *window)) : std::nullopt;
    });
  }
};

} // namespace
