// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The shift law of each operation (ShiftLaw.h). Operations without one here do
// not let a shift pass: nonlinear operations, and those that treat positions
// differently, such as a rotation.

#include "dialect/Labels.h"
#include "dialect/positions/Mask.h"
#include "dialect/weights/Weights.h"

#include <llvm/ADT/SetVector.h>

using namespace mlir;
using namespace transfold;
using namespace transfold::xf;

using LabelList = SmallVector<StringRef>;

//===----------------------------------------------------------------------===//
// Operations in index notation
//===----------------------------------------------------------------------===//

/// The labels of the axes along which the shift varies.
static LabelList labelsOf(const Shift &shift, ArrayAttr labels) {
  LabelList list;
  for (unsigned axis : shift.axes)
    list.push_back(getLabel(labels, axis));
  return list;
}

/// The labels of `all` that are in `kept`, in the order of `all`.
static LabelList among(ArrayAttr all, ArrayRef<StringRef> kept) {
  LabelList list;
  for (StringRef label : all.getAsValueRange<StringAttr>())
    if (llvm::is_contained(kept, label))
      list.push_back(label);
  return list;
}

/// The shift of a result, whose row has the axes `varying` in this order.
static Shift shiftAlong(ArrayAttr labels, ArrayRef<StringRef> varying,
                        Value row) {
  Shift shift;
  for (StringRef label : varying)
    shift.axes.push_back(*findLabel(labels, label));
  shift.row = row;
  return shift;
}

/// `row` with its axes permuted.
static Value reordered(OpBuilder &builder, Location loc, Value row,
                       ArrayRef<StringRef> from, ArrayRef<StringRef> to) {
  if (from == to)
    return row;
  SmallVector<Attribute> fromGroups, toGroups, shape;
  for (StringRef label : from)
    fromGroups.push_back(builder.getStrArrayAttr({label}));
  for (StringRef label : to) {
    toGroups.push_back(builder.getStrArrayAttr({label}));
    shape.push_back(
        getShape(row.getType())[llvm::find(from, label) - from.begin()]);
  }
  return RearrangeOp::create(
      builder, loc, RealType::get(builder.getContext(), shape), row,
      builder.getArrayAttr(fromGroups), builder.getArrayAttr(toGroups));
}

namespace {
/// The operand that lacks a row, and the other operand.
template <typename Op> struct Sides {
  Sides(Op op, OpOperand &operand)
      : isLeft(operand.getOperandNumber() == 0),
        own(isLeft ? op.getLhsLabels() : op.getRhsLabels()),
        others(isLeft ? op.getRhsLabels() : op.getLhsLabels()),
        other(isLeft ? op.getRhs() : op.getLhs()) {}

  bool isLeft;
  ArrayAttr own, others;
  Value other;
};
} // namespace

/// op(s, other): the product or contraction of the shift with a weight.
template <typename Op>
static Shift applied(Op op, const Sides<Op> &sides, const Shift &shift,
                     ShiftLaw &law) {
  OpBuilder &builder = law.builder();
  LabelList mine = labelsOf(shift, sides.own), both = mine;
  llvm::append_range(both, sides.others.template getAsValueRange<StringAttr>());
  LabelList out = among(op.getLabels(), both);
  ArrayAttr own = builder.getStrArrayAttr(mine);
  Value row = sides.isLeft
                  ? Op::create(builder, op.getLoc(), shift.row, sides.other,
                               own, sides.others, builder.getStrArrayAttr(out))
                  : Op::create(builder, op.getLoc(), sides.other, shift.row,
                               sides.others, own, builder.getStrArrayAttr(out));
  return shiftAlong(op.getLabels(), out, row);
}

/// A product with a value that is not a weight varies along the axes of both,
/// and is not a row of weights.
template <typename Op>
static Shift unknown(Op op, const Sides<Op> &sides, const Shift &shift) {
  LabelList both = labelsOf(shift, sides.own);
  llvm::append_range(both, sides.others.template getAsValueRange<StringAttr>());
  return shiftAlong(op.getLabels(), among(op.getLabels(), both), {});
}

/// (x − s) y lacks s y.
template <typename Op>
static FailureOr<Shift> productLaw(Op op, OpOperand &operand,
                                   const Shift &shift, ShiftLaw &law) {
  Sides<Op> sides(op, operand);
  if (law.isShifted(sides.other))
    return failure();
  if (!shift.row || !isWeightOnly(sides.other))
    return unknown(op, sides, shift);
  return applied(op, sides, shift, law);
}

FailureOr<Shift> MultiplyOp::shiftLaw(OpOperand &operand, const Shift &shift,
                                      ShiftLaw &law) {
  return productLaw(*this, operand, shift, law);
}

FailureOr<Shift> DivideOp::shiftLaw(OpOperand &operand, const Shift &shift,
                                    ShiftLaw &law) {
  if (operand.getOperandNumber() == 1)
    return failure();
  return productLaw(*this, operand, shift, law);
}

/// Whether `weights` are rows of a softmax, along the label that is summed.
static bool isAverage(ContractOp op, Value weights, ArrayAttr labels) {
  auto softmax = weights.getDefiningOp<SoftmaxOp>();
  if (!softmax || !softmax.rowsSumToOne())
    return false;
  for (auto [axis, label] :
       llvm::enumerate(labels.getAsValueRange<StringAttr>()))
    if (!findLabel(op.getLabels(), label) && axis + 1 != labels.size())
      return false;
  return !findLabel(op.getLabels(), getLabel(labels, labels.size() - 1));
}

FailureOr<Shift> ContractOp::shiftLaw(OpOperand &operand, const Shift &shift,
                                      ShiftLaw &law) {
  Sides<ContractOp> sides(*this, operand);
  if (law.isShifted(sides.other))
    return failure();
  LabelList mine = labelsOf(shift, sides.own);
  // Every label of the operand is either on the result or one along which the
  // shift varies; a sum along another axis would add the shift as often as that
  // axis has positions, which may be a length.
  bool sumsAllOfRow =
      llvm::all_of(sides.own.getAsValueRange<StringAttr>(), [&](StringRef l) {
        return findLabel(getLabels(), l) || llvm::is_contained(mine, l);
      });
  if (shift.row && sumsAllOfRow && isWeightOnly(sides.other))
    return applied(*this, sides, shift, law);
  // Σ_m P[n, m] s = s, since rows of P sum to 1.
  bool sumsNoneOfRow = llvm::all_of(mine, [&](StringRef label) {
    return findLabel(getLabels(), label).has_value();
  });
  if (sumsNoneOfRow && isAverage(*this, sides.other, sides.others)) {
    LabelList out = among(getLabels(), mine);
    Value row = shift.row
                    ? reordered(law.builder(), getLoc(), shift.row, mine, out)
                    : Value();
    return shiftAlong(getLabels(), out, row);
  }
  return unknown(*this, sides, shift);
}

/// (x − s) + y lacks s.
template <typename Op>
static Shift passed(Op op, OpOperand &operand, const Shift &shift,
                    ShiftLaw &law) {
  Sides<Op> sides(op, operand);
  LabelList mine = labelsOf(shift, sides.own),
            out = among(op.getLabels(), mine);
  Value row = shift.row
                  ? reordered(law.builder(), op.getLoc(), shift.row, mine, out)
                  : Value();
  return shiftAlong(op.getLabels(), out, row);
}

FailureOr<Shift> AddOp::shiftLaw(OpOperand &operand, const Shift &shift,
                                 ShiftLaw &law) {
  return passed(*this, operand, shift, law);
}

FailureOr<Shift> SubtractOp::shiftLaw(OpOperand &operand, const Shift &shift,
                                      ShiftLaw &law) {
  Shift result = passed(*this, operand, shift, law);
  if (operand.getOperandNumber() == 1 && result.row)
    result.row = NegateOp::create(law.builder(), getLoc(), result.row);
  return result;
}

//===----------------------------------------------------------------------===//
// Elementwise operations
//===----------------------------------------------------------------------===//

FailureOr<Shift> NegateOp::shiftLaw(OpOperand &, const Shift &shift,
                                    ShiftLaw &law) {
  Shift result = shift;
  if (shift.row)
    result.row = NegateOp::create(law.builder(), getLoc(), shift.row);
  return result;
}

/// Multiplies by an xf.constant instead of an xf.scale, which folding would
/// move.
FailureOr<Shift> ScaleOp::shiftLaw(OpOperand &, const Shift &shift,
                                   ShiftLaw &law) {
  Shift result = shift;
  if (!shift.row)
    return result;
  OpBuilder &builder = law.builder();
  Value factor = ConstantOp::create(
      builder, getLoc(), RealType::get(getContext(), {}), getFactor());
  SmallVector<Attribute> labels;
  for (unsigned axis : shift.axes)
    labels.push_back(builder.getStringAttr("a" + Twine(axis)));
  ArrayAttr all = builder.getArrayAttr(labels);
  result.row = MultiplyOp::create(builder, getLoc(), shift.row, factor, all,
                                  builder.getArrayAttr({}), all);
  return result;
}

//===----------------------------------------------------------------------===//
// Rows
//===----------------------------------------------------------------------===//

/// Rows with a mask over queries and keys of two sequences may sum to 1 too,
/// but this is not relied on.
bool SoftmaxOp::rowsSumToOne() {
  if (getFactor() || getAmong() || getSink())
    return false;
  if (!getMask())
    return true;
  ArrayRef<Attribute> shape = getShape(getInput().getType()).take_back(2);
  return shape[0] == shape[1] && !findHiddenRow(*getMask(), shape[0], shape[1]);
}

/// A shift that is constant along each row: softmax, and norms that subtract
/// the mean, are invariant under it.
static FailureOr<Shift> forgotten(RealType type, const Shift &shift) {
  if (shift.variesAlong(type.getRank() - 1))
    return failure();
  return Shift::zero();
}

/// A sink is compared with the scores, so rows with a sink are not invariant.
FailureOr<Shift> SoftmaxOp::shiftLaw(OpOperand &operand, const Shift &shift,
                                     ShiftLaw &) {
  if (operand.getOperandNumber() != 0 || getSink())
    return failure();
  return forgotten(getInput().getType(), shift);
}

FailureOr<Shift> StandardizeOp::shiftLaw(OpOperand &operand, const Shift &shift,
                                         ShiftLaw &) {
  if (operand.getOperandNumber() != 0)
    return failure();
  return forgotten(getInput().getType(), shift);
}

//===----------------------------------------------------------------------===//
// One axis
//===----------------------------------------------------------------------===//

/// The axis of the row vector that corresponds to axis `axis` of the value.
static int64_t axisOfRow(const Shift &shift, unsigned axis) {
  return llvm::find(shift.axes, axis) - shift.axes.begin();
}

/// The shift after axis `gone` is removed; later axes move by one.
static Shift without(const Shift &shift, unsigned gone, Value row) {
  Shift result;
  for (unsigned axis : shift.axes)
    if (axis != gone)
      result.axes.push_back(axis < gone ? axis : axis - 1);
  result.row = row;
  return result;
}

FailureOr<Shift> MeanOp::shiftLaw(OpOperand &, const Shift &shift,
                                  ShiftLaw &law) {
  Value row = shift.row;
  if (row && shift.variesAlong(getAxis()))
    row = MeanOp::create(law.builder(), getLoc(), row,
                         axisOfRow(shift, getAxis()));
  return without(shift, getAxis(), row);
}

/// A shift that is constant along the summed axis adds up to a multiple, which
/// is unknown for a length.
FailureOr<Shift> SumOp::shiftLaw(OpOperand &, const Shift &shift,
                                 ShiftLaw &law) {
  if (!shift.variesAlong(getAxis()))
    return failure();
  Value row = shift.row;
  if (row)
    row = SumOp::create(law.builder(), getLoc(), row,
                        axisOfRow(shift, getAxis()));
  return without(shift, getAxis(), row);
}

FailureOr<Shift> SelectOp::shiftLaw(OpOperand &, const Shift &shift,
                                    ShiftLaw &law) {
  Value row = shift.row;
  if (row && shift.variesAlong(getAxis()))
    row = SelectOp::create(law.builder(), getLoc(), row,
                           axisOfRow(shift, getAxis()), getPosition());
  return without(shift, getAxis(), row);
}

FailureOr<Shift> RepeatOp::shiftLaw(OpOperand &, const Shift &shift,
                                    ShiftLaw &law) {
  Shift result = shift;
  if (shift.row && shift.variesAlong(getAxis()))
    result.row = RepeatOp::create(law.builder(), getLoc(), shift.row,
                                  axisOfRow(shift, getAxis()), getTimes());
  return result;
}

FailureOr<Shift> SliceOp::shiftLaw(OpOperand &, const Shift &shift,
                                   ShiftLaw &law) {
  Shift result = shift;
  if (!shift.row || !shift.variesAlong(getAxis()))
    return result;
  int64_t axis = axisOfRow(shift, getAxis());
  SmallVector<Attribute> shape(getShape(shift.row.getType()));
  shape[axis] = getShape(getResult().getType())[getAxis()];
  result.row = SliceOp::create(law.builder(), getLoc(),
                               RealType::get(getContext(), shape), shift.row,
                               axis, getOffset());
  return result;
}

/// The groups restricted to labels of the row; groups without any are dropped.
FailureOr<Shift> RearrangeOp::shiftLaw(OpOperand &, const Shift &shift,
                                       ShiftLaw &law) {
  llvm::SmallSetVector<StringRef, 8> labels;
  SmallVector<Attribute> from, to, shape;
  for (unsigned axis : shift.axes) {
    from.push_back(getFrom()[axis]);
    for (StringRef label :
         cast<ArrayAttr>(getFrom()[axis]).getAsValueRange<StringAttr>())
      labels.insert(label);
  }
  Shift result;
  for (auto [axis, group] : llvm::enumerate(getTo().getAsRange<ArrayAttr>())) {
    unsigned kept =
        llvm::count_if(group.getAsValueRange<StringAttr>(),
                       [&](StringRef label) { return labels.contains(label); });
    if (!kept)
      continue;
    // A part of a merged axis would have to be repeated.
    if (kept != group.size())
      return failure();
    to.push_back(group);
    shape.push_back(getShape(getResult().getType())[axis]);
    result.axes.push_back(axis);
  }
  if (shift.row)
    result.row = RearrangeOp::create(
        law.builder(), getLoc(), RealType::get(getContext(), shape), shift.row,
        ArrayAttr::get(getContext(), from), ArrayAttr::get(getContext(), to));
  return result;
}
