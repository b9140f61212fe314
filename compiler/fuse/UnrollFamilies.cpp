// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Families whose members are stored apart, such as experts, are computed member
// by member.
//
//   Σ_e G[e] · (x @ W[e]) = G[0] · (x @ W_0) + G[1] · (x @ W_1)
//
// Before:
//   %W = xf.stack %W_0, %W_1 : … -> <2, 64, 112>
//   %y = xf.contract %x[n, k], %W[e, k, c] -> [e, n, c]
//   %z = xf.multiply %G[e, n], %y[e, n, c] -> [e, n, c]
//   %s = xf.sum %z over 0
// After:
//   %y_0 = xf.contract %x[n, k], %W_0[k, c] -> [n, c]     … and %y_1
//   %z_0 = xf.multiply %G_0[n], %y_0[n, c] -> [n, c]      … and %z_1
//   %s   = xf.add %z_0[n, c], %z_1[n, c] -> [n, c]
//
// Exact: an operation over an axis that it does not sum over is the same
// operation for each position of the axis.

#include "compiler/fuse/Passes.h"
#include "dialect/Labels.h"

namespace transfold::fuse {
#define GEN_PASS_DEF_UNROLLFAMILIES
#include "compiler/fuse/Passes.h.inc"
} // namespace transfold::fuse

using namespace mlir;
using namespace transfold;

namespace {

/// A value as its members along one axis.
struct Family {
  unsigned axis;
  SmallVector<Value> members;
};

struct UnrollFamilies : fuse::impl::UnrollFamiliesBase<UnrollFamilies> {
  void runOnOperation() override {
    families.clear();
    getOperation().walk([&](Operation *op) {
      if (auto stack = dyn_cast<xf::StackOp>(op))
        families[stack.getResult()] = {0,
                                       SmallVector<Value>(stack.getMembers())};
      else if (op->getNumResults() == 1 &&
               llvm::any_of(op->getOperands(),
                            [&](Value x) { return families.contains(x); }))
        unroll(op);
    });
    for (Operation *op : llvm::reverse(replaced))
      if (op->use_empty())
        op->erase();
    replaced.clear();
    getOperation().walk([](xf::StackOp stack) {
      if (stack->use_empty())
        stack.erase();
    });
  }

  void unroll(Operation *op) {
    OpBuilder builder(op);
    bool done = false;
    if (auto sum = dyn_cast<xf::SumOp>(op))
      done = addUp(sum, builder);
    else if (xf::isPointwise(op) && op->getNumOperands() == 1)
      done = unary(op, builder);
    else if (auto product = dyn_cast<xf::ContractOp>(op))
      done = labelled(product, builder);
    else if (auto product = dyn_cast<xf::MultiplyOp>(op))
      done = labelled(product, builder);
    else if (auto quotient = dyn_cast<xf::DivideOp>(op))
      done = labelled(quotient, builder);
    else if (auto total = dyn_cast<xf::AddOp>(op))
      done = labelled(total, builder);
    else if (auto difference = dyn_cast<xf::SubtractOp>(op))
      done = labelled(difference, builder);
    if (done) {
      replaced.push_back(op);
      ++unrolled;
    }
  }

  bool unary(Operation *op, OpBuilder &builder) {
    const Family source = families.lookup(op->getOperand(0));
    Family result{source.axis, {}};
    for (Value member : source.members) {
      Operation *copy = builder.clone(*op);
      copy->setOperand(0, member);
      copy->getResult(0).setType(member.getType());
      result.members.push_back(copy->getResult(0));
    }
    families[op->getResult(0)] = result;
    return true;
  }

  /// The operand's value for member `number` along `label`, and its labels.
  std::pair<Value, ArrayAttr> memberOf(Value x, ArrayAttr labels,
                                       StringRef label, unsigned number,
                                       OpBuilder &builder) {
    auto axis = xf::findLabel(labels, label);
    if (!axis)
      return {x, labels};
    auto family = families.find(x);
    Value member =
        family != families.end() && family->second.axis == *axis
            ? family->second.members[number]
            : xf::SelectOp::create(builder, x.getLoc(), x, *axis, number)
                  .getResult();
    return {member, without(labels, label)};
  }

  static ArrayAttr without(ArrayAttr labels, StringRef label) {
    SmallVector<Attribute> rest;
    for (auto other : labels.getAsRange<StringAttr>())
      if (other != label)
        rest.push_back(other);
    return ArrayAttr::get(labels.getContext(), rest);
  }

  template <typename Op> bool labelled(Op op, OpBuilder &builder) {
    bool isLeft = families.contains(op.getLhs());
    const Family family = families.lookup(isLeft ? op.getLhs() : op.getRhs());
    StringRef label = xf::getLabel(
        isLeft ? op.getLhsLabels() : op.getRhsLabels(), family.axis);
    auto axis = xf::findLabel(op.getLabels(), label);
    SmallVector<Value> members;
    for (unsigned k = 0; k < family.members.size(); ++k) {
      auto [lhs, lhsLabels] =
          memberOf(op.getLhs(), op.getLhsLabels(), label, k, builder);
      auto [rhs, rhsLabels] =
          memberOf(op.getRhs(), op.getRhsLabels(), label, k, builder);
      members.push_back(Op::create(builder, op.getLoc(), lhs, rhs, lhsLabels,
                                   rhsLabels, without(op.getLabels(), label)));
    }
    if (axis)
      families[op.getResult()] = {*axis, members};
    else
      op.getResult().replaceAllUsesWith(sumOf(members, builder));
    return true;
  }

  static Value sumOf(ArrayRef<Value> members, OpBuilder &builder) {
    SmallVector<std::string> names;
    for (unsigned k = 0; k < xf::getShape(members[0].getType()).size(); ++k)
      names.push_back("a" + std::to_string(k));
    ArrayAttr labels = builder.getStrArrayAttr(
        SmallVector<StringRef>(names.begin(), names.end()));
    Value sum = members[0];
    for (Value member : members.drop_front())
      sum = xf::AddOp::create(builder, sum.getLoc(), sum, member, labels,
                              labels, labels);
    return sum;
  }

  bool addUp(xf::SumOp op, OpBuilder &builder) {
    const Family family = families.lookup(op.getInput());
    if (family.axis != op.getAxis())
      return false;
    op.getResult().replaceAllUsesWith(sumOf(family.members, builder));
    return true;
  }

  llvm::DenseMap<Value, Family> families;
  SmallVector<Operation *> replaced;
};

} // namespace
