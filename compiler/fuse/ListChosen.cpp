// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// -xf-list-chosen: experts compute the rows that chose them, which the device
// lists itself.
//
//   Σ_e G[e] · f_e(x), with G[e] = 0 for all but the chosen experts of a row:
//   each f_e gets a list of rows, whose length only the device knows.
//
// Before:
//   %y = … xf.contract %x[n, k], %W[e, k, c] -> [e, n, c] …    of <e, n, 64>
//   %z = xf.multiply %G[n, e], %y[e, n, c] -> [e, n, c]
//   %s = xf.sum %z over 0
// After:
//   %r  = xf.running_count %G : <n, e>
//   %l  = xf.build_row_index %r : <n, e>
//   %x' = xf.gather_rows %x by %l : <n, 64>, <e, n>
//   %y' = … xf.contract %x'[e, n, k], %W[e, k, c] -> [e, n, c]
//         xf.bounded_by … by %l …                            of <e, n, 64>
//   %s  = xf.scatter_add %y' by %r times %G : <e, n, 64>, <n, e>
//
// This is for targets on which the host would have to wait for the device to
// learn how many rows an expert has (xf-compute-chosen). All experts stay one
// operation and one launch, with room for all rows; blocks of a kernel that
// begin past the end of a list do nothing.
//
// Exact: every operation between %x and %y processes each row of each expert
// independently, so a listed row has the same value as before; for a row that
// did not choose e, 0 · y = 0. That %G is zero in many rows follows from the
// equations (Zeros.h).

#include "compiler/fuse/Passes.h"
#include "compiler/fuse/StoredViews.h"
#include "compiler/fuse/Zeros.h"
#include "dialect/Labels.h"
#include "dialect/weights/Weights.h"

#include <llvm/ADT/SetVector.h>
#include <mlir/Transforms/WalkPatternRewriteDriver.h>

namespace transfold::fuse {
#define GEN_PASS_DEF_LISTCHOSEN
#include "compiler/fuse/Passes.h.inc"
} // namespace transfold::fuse

using namespace mlir;
using namespace transfold;

namespace {

/// The operations of a sum over experts.
struct Mixture {
  xf::SumOp sum;
  xf::MultiplyOp product;
  Value weights; // <n, e> or <e, n>
  OpOperand *weighed = nullptr;
  Attribute members, rows;

  /// Whether `value` has rows for each expert: <e, n, …>.
  bool isOfMembers(Value value) const {
    ArrayRef<Attribute> shape = xf::getShape(value.getType());
    return shape.size() >= 2 && shape[0] == members && shape[1] == rows;
  }
  /// Whether any axis of `value` is the rows, whichever its position.
  bool hasRows(Value value) const {
    return llvm::is_contained(xf::getShape(value.getType()), rows);
  }
};

/// Matches a sum over the first axis of a product of values <e, n, …> with
/// weights <n, e> or <e, n> that are zero unless chosen.
std::optional<Mixture> mixtureOf(xf::SumOp sum) {
  auto product = sum.getInput().getDefiningOp<xf::MultiplyOp>();
  if (!product || !product->hasOneUse() || sum.getAxis() != 0 ||
      product->getBlock() != sum->getBlock())
    return std::nullopt;
  ArrayRef<Attribute> shape = product.getType().getShape();
  ArrayRef<Attribute> labels = product.getLabels().getValue();
  if (shape.size() < 3 || !xf::getNumber(shape[0]) || xf::getNumber(shape[1]))
    return std::nullopt;
  Mixture mixture{sum, product, {}, nullptr, shape[0], shape[1]};
  for (OpOperand &operand : product->getOpOperands()) {
    const bool isRight = operand.getOperandNumber();
    ArrayAttr own = isRight ? product.getRhsLabels() : product.getLhsLabels(),
              other = isRight ? product.getLhsLabels() : product.getRhsLabels();
    Value weights = product->getOperand(1 - operand.getOperandNumber());
    auto members = xf::findLabel(other, cast<StringAttr>(labels[0]).getValue()),
         rows = xf::findLabel(other, cast<StringAttr>(labels[1]).getValue());
    if (own == product.getLabels() && other.size() == 2 && members && rows &&
        fuse::isChosenAlong(weights, *members)) {
      mixture.weights = weights;
      mixture.weighed = &operand;
      return mixture;
    }
  }
  return std::nullopt;
}

/// x[n, k] or x[e, n, k], W[e, k, c] -> [e, n, c].
bool isProductOfMembers(xf::ContractOp op, const Mixture &mixture) {
  ArrayRef<Attribute> labels = op.getLabels().getValue(),
                      left = op.getLhsLabels().getValue(),
                      right = op.getRhsLabels().getValue();
  // Experts that are not one tensor or view would have to be copied together.
  if (labels.size() != 3 || right.size() != 3 || left.size() < 2 ||
      left.size() > 3 || !op.getRhs().getDefiningOp<xf::WeightOp>() ||
      xf::getShape(op.getLhs().getType())[left.size() - 2] != mixture.rows)
    return false;
  return right[0] == labels[0] && right[1] == left.back() &&
         right[2] == labels[2] && left[left.size() - 2] == labels[1] &&
         (left.size() == 2 || left[0] == labels[0]);
}

/// Whether row n of member e of the result depends only on the same row of each
/// operand.
bool treatsRowsAlone(Operation *op, const Mixture &mixture) {
  if (op->getNumResults() != 1 || !mixture.isOfMembers(op->getResult(0)))
    return false;
  if (auto product = dyn_cast<xf::ContractOp>(op))
    return isProductOfMembers(product, mixture);
  if (!op->hasTrait<xf::Pointwise>() && !op->hasTrait<xf::RowWise>() &&
      !isa<xf::QuantizeOp>(op))
    return false;
  return cast<xf::BatchLawInterface>(op).getBatchLaw() == xf::BatchLaw::Rows &&
         llvm::all_of(op->getOperands(), [&](Value operand) {
           // An operand without rows must be the same for all sequences, whose
           // rows are listed together.
           return mixture.isOfMembers(operand)
                      ? xf::readsOwnEntries(op, operand)
                      : xf::isWeightOnly(operand);
         });
}

/// The operations that compute the weighted value and are used for nothing
/// else, last first; empty if one of them would need rows that are not listed.
llvm::SetVector<Operation *> operationsOnRows(const Mixture &mixture) {
  llvm::SetVector<Operation *> found;
  Operation *last = mixture.weighed->get().getDefiningOp();
  if (!last || last->getBlock() != mixture.sum->getBlock())
    return {};
  for (Operation *op = last; op; op = op->getPrevNode())
    if (!op->use_empty() && treatsRowsAlone(op, mixture) &&
        llvm::all_of(op->getUsers(), [&](Operation *user) {
          return user == mixture.product || found.contains(user);
        }))
      found.insert(op);
  for (Operation *op : found)
    for (Value operand : op->getOperands()) {
      // Values shared by all members are gathered by the lists.
      const bool isShared =
          isa<xf::ContractOp>(op) && !mixture.isOfMembers(operand);
      if (mixture.hasRows(operand) && !isShared &&
          !found.contains(operand.getDefiningOp()))
        return {};
    }
  return found;
}

/// Whether there is a contraction: without one, listing would not pay off.
bool hasContraction(const llvm::SetVector<Operation *> &ops) {
  return llvm::any_of(ops, llvm::IsaPred<xf::ContractOp>);
}

/// Gathers `input` by `list`; a rounding is moved after the gather, into the
/// kernel of the contraction.
Value taken(OpBuilder &builder, Value input, Value list) {
  Operation *op = input.getDefiningOp();
  if (!isa_and_nonnull<xf::RoundOp, xf::QuantizeOp>(op))
    return xf::GatherRowsOp::create(builder, input.getLoc(), input, list);
  Value inner = taken(builder, op->getOperand(0), list);
  Operation *copy = builder.clone(*op);
  copy->setOperand(0, inner);
  copy->getResult(0).setType(inner.getType());
  return copy->getResult(0);
}

/// Makes a contraction compute the listed rows.
void multiplyListed(xf::ContractOp op, const Mixture &mixture, Value list) {
  OpBuilder builder(op);
  if (!mixture.isOfMembers(op.getLhs())) {
    SmallVector<Attribute> labels = {op.getLabels()[0]};
    llvm::append_range(labels, op.getLhsLabels());
    op.getLhsMutable().assign(taken(builder, op.getLhs(), list));
    op.setLhsLabelsAttr(builder.getArrayAttr(labels));
  }
  builder.setInsertionPointAfter(op);
  auto listed =
      xf::BoundedByOp::create(builder, op.getLoc(), op.getResult(), list);
  op.getResult().replaceAllUsesExcept(listed, listed);
}

/// The weights as <n, e>.
Value weightsByRow(OpBuilder &builder, Mixture mixture) {
  if (xf::getShape(mixture.weights.getType())[0] == mixture.rows)
    return mixture.weights;
  auto group = [&](StringRef label) {
    return builder.getArrayAttr(builder.getStringAttr(label));
  };
  auto type = cast<xf::RealType>(mixture.weights.getType());
  return xf::RearrangeOp::create(
      builder, mixture.sum.getLoc(),
      xf::RealType::get(builder.getContext(),
                        {type.getShape()[1], type.getShape()[0]}),
      mixture.weights, builder.getArrayAttr({group("e"), group("n")}),
      builder.getArrayAttr({group("n"), group("e")}));
}

struct ListChosen : fuse::impl::ListChosenBase<ListChosen> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    fuse::addStoredViews(patterns);
    FrozenRewritePatternSet views(std::move(patterns));
    SmallVector<xf::SumOp> sums;
    for (auto entry : getOperation().getOps<xf::EntryOp>()) {
      walkAndApplyPatterns(entry, views);
      entry.walk([&](xf::SumOp sum) { sums.push_back(sum); });
    }
    for (xf::SumOp sum : sums)
      if (auto mixture = mixtureOf(sum))
        if (auto ops = operationsOnRows(*mixture); hasContraction(ops))
          list(*mixture, ops);
  }

  /// Replaces the sum. The operations keep their types: values have room for
  /// all rows, of which only the listed ones are defined.
  void list(Mixture mixture, const llvm::SetVector<Operation *> &ops) {
    OpBuilder builder(mixture.product);
    Location loc = mixture.sum.getLoc();
    Value weights = weightsByRow(builder, mixture);
    Value ranks = xf::RunningCountOp::create(builder, loc, weights);
    Value list = xf::BuildRowIndexOp::create(builder, loc, ranks);
    // They have no other uses: moves them after the lists, in order.
    for (Operation *op : llvm::reverse(ops)) {
      op->moveBefore(mixture.product);
      if (auto product = dyn_cast<xf::ContractOp>(op))
        multiplyListed(product, mixture, list);
    }
    builder.setInsertionPoint(mixture.sum);
    Value sum = xf::ScatterAddOp::create(builder, loc, mixture.weighed->get(),
                                         ranks, weights);
    mixture.sum.replaceAllUsesWith(sum);
    mixture.sum.erase();
    mixture.product.erase();
    ++listed;
  }
};

} // namespace
