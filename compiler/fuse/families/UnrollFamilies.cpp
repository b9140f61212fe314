// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// -xf-unroll-families: unrolls sums over chosen experts, expert by expert.
//
//   Σ_e G[e] · (x @ W[e]) = G[0] · (x @ W[0]) + G[1] · (x @ W[1])
//
// Before:
//   %y = xf.contract %x[n, k], %W[e, k, c] -> [e, n, c]
//   %z = xf.multiply %G[e, n], %y[e, n, c] -> [e, n, c]
//   %s = xf.sum %z over 0
// After:
//   %W_0 = xf.select %W axis 0 at 0                       … and %W_1
//   %y_0 = xf.contract %x[n, k], %W_0[k, c] -> [n, c]     … and %y_1
//   %z_0 = xf.multiply %G_0[n], %y_0[n, c] -> [n, c]      … and %z_1
//   %s   = xf.add %z_0[n, c], %z_1[n, c] -> [n, c]
//
// The summed values must be zero for members that a row does not choose, so
// that xf-compute-chosen can omit them; this is derived from the equations
// (Zeros.h). Exact: an operation over an axis that it does not sum over is the
// same operation for each position of the axis. A member of a weight is a view
// of the stored tensor.

#include "compiler/fuse/Passes.h"
#include "compiler/fuse/StoredViews.h"
#include "compiler/fuse/Zeros.h"
#include "dialect/Labels.h"

#include <llvm/ADT/TypeSwitch.h>
#include <mlir/Transforms/RegionUtils.h>
#include <mlir/Transforms/WalkPatternRewriteDriver.h>

#include <map>

namespace transfold::fuse {
#define GEN_PASS_DEF_UNROLLFAMILIES
#include "compiler/fuse/Passes.h.inc"
} // namespace transfold::fuse

using namespace mlir;
using namespace transfold;

namespace {

/// The labels of one member: those of the family but for its own.
ArrayAttr without(ArrayAttr labels, StringRef label) {
  SmallVector<Attribute> rest;
  for (auto other : labels.getAsRange<StringAttr>())
    if (other != label)
      rest.push_back(other);
  return ArrayAttr::get(labels.getContext(), rest);
}

/// The type of one member.
xf::RealType without(Type type, unsigned axis) {
  SmallVector<Attribute> shape(xf::getShape(type));
  shape.erase(shape.begin() + axis);
  return xf::RealType::get(type.getContext(), shape);
}

/// Values at single positions along axes, created on demand.
class Members {
public:
  explicit Members(Operation *before) : builder(before) {}

  /// `value` at `position` of `axis`, without the axis.
  Value at(Value value, unsigned axis, int64_t position) {
    Value &known = members[{value.getAsOpaquePointer(), {axis, position}}];
    if (!known)
      known = make(value, axis, position);
    return known;
  }

private:
  /// Computes the member by the operation that computes the family, applied to
  /// members of its operands, as far back as possible; otherwise selects it.
  Value make(Value value, unsigned axis, int64_t position) {
    Operation *op = value.getDefiningOp();
    Value member;
    if (op && op->getBlock() == builder.getInsertionBlock())
      member =
          llvm::TypeSwitch<Operation *, Value>(op)
              .Case([&](xf::StackOp stack) {
                return axis == 0 ? stack.getMembers()[position] : Value();
              })
              .Case<xf::ContractOp, xf::AddOp, xf::SubtractOp, xf::MultiplyOp,
                    xf::DivideOp, xf::MaximumOp>(
                  [&](auto op) { return labelled(op, axis, position); })
              .Case([&](xf::SliceOp slice) {
                return slice.getAxis() == axis
                           ? Value()
                           : alongAxis(slice, axis, position);
              })
              .Case<xf::StandardizeOp, xf::UnitRmsOp, xf::UnitOp>([&](auto op) {
                return isLast(op.getInput(), axis) ? Value()
                                                   : cloned(op, axis, position);
              })
              .Default([&](Operation *op) {
                return op->hasTrait<xf::Pointwise>() && othersAreNumbers(op)
                           ? cloned(op, axis, position)
                           : Value();
              });
    if (member)
      return member;
    return xf::SelectOp::create(builder, value.getLoc(), value, axis, position);
  }

  /// Whether the other operands are scalars, which folding added: e.g. the
  /// factor of a sigmoid.
  static bool othersAreNumbers(Operation *op) {
    return llvm::all_of(op->getOperands().drop_front(), [](Value operand) {
      return xf::getShape(operand.getType()).empty();
    });
  }

  /// Whether the axis is the one along which a norm needs all elements.
  static bool isLast(Value value, unsigned axis) {
    return axis + 1 == xf::getShape(value.getType()).size();
  }

  /// The same operation on a member of its operand.
  Value cloned(Operation *op, unsigned axis, int64_t position) {
    Value operand = at(op->getOperand(0), axis, position);
    Operation *copy = builder.clone(*op);
    copy->setOperand(0, operand);
    copy->getResult(0).setType(without(op->getResult(0).getType(), axis));
    return copy->getResult(0);
  }

  /// The same for an operation that refers to another axis by number.
  Value alongAxis(xf::SliceOp op, unsigned axis, int64_t position) {
    Value member = cloned(op, axis, position);
    if (op.getAxis() > axis)
      member.getDefiningOp<xf::SliceOp>().setAxis(op.getAxis() - 1);
    return member;
  }

  /// The same for an operation whose operands are matched by labels; an operand
  /// without the label is the same for all members.
  template <typename Op>
  Value labelled(Op op, unsigned axis, int64_t position) {
    StringRef label = xf::getLabel(op.getLabels(), axis);
    auto memberOf = [&](Value operand, ArrayAttr labels) {
      auto own = xf::findLabel(labels, label);
      return own ? at(operand, *own, position) : operand;
    };
    Value lhs = memberOf(op.getLhs(), op.getLhsLabels());
    Value rhs = memberOf(op.getRhs(), op.getRhsLabels());
    return Op::create(
        builder, op.getLoc(), lhs, rhs, without(op.getLhsLabels(), label),
        without(op.getRhsLabels(), label), without(op.getLabels(), label));
  }

  OpBuilder builder;
  std::map<std::pair<const void *, std::pair<unsigned, int64_t>>, Value>
      members;
};

struct UnrollFamilies : fuse::impl::UnrollFamiliesBase<UnrollFamilies> {
  void runOnOperation() override {
    MLIRContext *context = &getContext();
    RewritePatternSet patterns(context);
    fuse::addStoredViews(patterns);
    FrozenRewritePatternSet views(std::move(patterns));
    IRRewriter rewriter(context);
    for (auto entry : getOperation().getOps<xf::EntryOp>()) {
      SmallVector<xf::SumOp> sums;
      entry.walk([&](xf::SumOp sum) { sums.push_back(sum); });
      for (xf::SumOp sum : sums)
        if (fuse::isChosenAlong(sum.getInput(), sum.getAxis()))
          unroll(sum);
      (void)runRegionDCE(rewriter, entry->getRegions());
      walkAndApplyPatterns(entry, views);
    }
  }

  /// Replaces a sum by additions, from the first member to the last.
  void unroll(xf::SumOp sum) {
    OpBuilder builder(sum);
    Members members(sum);
    ArrayRef<Attribute> shape = sum.getInput().getType().getShape();
    SmallVector<std::string> names;
    for (unsigned k = 0; k + 1 < shape.size(); ++k)
      names.push_back("a" + std::to_string(k));
    ArrayAttr labels = builder.getStrArrayAttr(
        SmallVector<StringRef>(names.begin(), names.end()));
    Value total;
    for (int64_t k = 0; k < *xf::getNumber(shape[sum.getAxis()]); ++k) {
      Value member = members.at(sum.getInput(), sum.getAxis(), k);
      total = total ? xf::AddOp::create(builder, sum.getLoc(), total, member,
                                        labels, labels, labels)
                    : member;
    }
    sum.getResult().replaceAllUsesWith(total);
    sum.erase();
    ++unrolled;
  }
};

} // namespace
