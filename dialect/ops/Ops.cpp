// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Verifiers and result types of the arithmetic and selection operations.

#include "dialect/Labels.h"
#include "dialect/Lengths.h"

#include <llvm/ADT/StringMap.h>
#include <llvm/ADT/StringSet.h>

using namespace mlir;
using namespace transfold;
using namespace transfold::xf;

#define GET_OP_CLASSES
#include "dialect/XfOps.cpp.inc"

//===----------------------------------------------------------------------===//
// Operations in index notation
//===----------------------------------------------------------------------===//

/// The size of each label; fails if two axes with the same label differ.
static FailureOr<llvm::StringMap<Attribute>>
sizesOfLabels(std::optional<Location> loc, TypeRange types,
              ArrayRef<ArrayAttr> labels) {
  llvm::StringMap<Attribute> sizes;
  for (auto [type, names] : llvm::zip(types, labels)) {
    ArrayRef<Attribute> shape = getShape(type);
    if (shape.size() != names.size())
      return emitOptionalError(loc, "an operand with ", shape.size(),
                               " axes has ", names.size(), " labels");
    llvm::StringSet<> own;
    for (auto [axis, label] :
         llvm::zip(shape, names.getAsValueRange<StringAttr>())) {
      if (!own.insert(label).second)
        return emitOptionalError(loc, "label '", label,
                                 "' occurs twice on one operand");
      auto [found, inserted] = sizes.try_emplace(label, axis);
      if (!inserted && found->second != axis)
        return emitOptionalError(
            loc, "label '", label, "' is ", printAxis(found->second),
            " on one operand and ", printAxis(axis), " on the other");
    }
  }
  return sizes;
}

/// The result of a labelled operation: each of its labels has the size that an
/// operand gives it. Emits an error for a repeated or unknown label.
static LogicalResult inferLabelled(MLIRContext *context,
                                   std::optional<Location> loc,
                                   TypeRange operands, ArrayAttr lhs,
                                   ArrayAttr rhs, ArrayAttr out, Type &result) {
  auto sizes = sizesOfLabels(loc, operands, {lhs, rhs});
  if (failed(sizes))
    return failure();
  SmallVector<Attribute> shape;
  llvm::StringSet<> seen;
  for (StringRef label : out.getAsValueRange<StringAttr>()) {
    if (!seen.insert(label).second)
      return emitOptionalError(loc, "label '", label,
                               "' occurs twice on the result");
    auto found = sizes->find(label);
    if (found == sizes->end())
      return emitOptionalError(loc, "label '", label,
                               "' of the result is on no operand");
    shape.push_back(found->second);
  }
  result = RealType::get(context, shape);
  return success();
}

/// The same from the adaptor of an operation class, for the interface below.
template <typename Op>
static LogicalResult
inferLabelled(MLIRContext *context, std::optional<Location> loc,
              typename Op::Adaptor adaptor, SmallVectorImpl<Type> &results) {
  return inferLabelled(context, loc, adaptor.getOperands().getTypes(),
                       adaptor.getLhsLabels(), adaptor.getRhsLabels(),
                       adaptor.getLabels(), results.emplace_back());
}

/// Elementwise: every label of an operand must be a label of the result.
template <typename Op> static LogicalResult verifyPointwise(Op op) {
  for (ArrayAttr labels : {op.getLhsLabels(), op.getRhsLabels()})
    for (StringRef label : labels.template getAsValueRange<StringAttr>())
      if (!findLabel(op.getLabels(), label))
        return op.emitOpError() << "the result lacks label '" << label
                                << "'; only a contraction sums over one";
  return success();
}

#define XF_LABELLED(OP)                                                        \
  LogicalResult OP::inferReturnTypes(                                          \
      MLIRContext *context, std::optional<Location> loc, Adaptor adaptor,      \
      SmallVectorImpl<Type> &results) {                                        \
    return inferLabelled<OP>(context, loc, adaptor, results);                  \
  }
XF_LABELLED(ContractOp)
XF_LABELLED(AddOp)
XF_LABELLED(SubtractOp)
XF_LABELLED(MultiplyOp)
XF_LABELLED(DivideOp)
XF_LABELLED(MaximumOp)
#undef XF_LABELLED

LogicalResult AddOp::verify() { return verifyPointwise(*this); }
LogicalResult SubtractOp::verify() { return verifyPointwise(*this); }
LogicalResult MultiplyOp::verify() { return verifyPointwise(*this); }
LogicalResult DivideOp::verify() { return verifyPointwise(*this); }
LogicalResult MaximumOp::verify() { return verifyPointwise(*this); }

LogicalResult ContractOp::verify() {
  for (auto [labels, other] : {std::pair(getLhsLabels(), getRhsLabels()),
                               std::pair(getRhsLabels(), getLhsLabels())})
    for (StringRef label : labels.getAsValueRange<StringAttr>())
      if (!findLabel(getLabels(), label) && !findLabel(other, label))
        return emitOpError()
               << "label '" << label
               << "' is on one operand only and not on the result";
  return success();
}

//===----------------------------------------------------------------------===//
// Reductions
//===----------------------------------------------------------------------===//

/// The type of `input` without axis `axis`, which a reduction or a selection
/// removes.
static LogicalResult inferWithoutAxis(MLIRContext *context,
                                      std::optional<Location> loc, Type input,
                                      int64_t axis,
                                      SmallVectorImpl<Type> &results) {
  SmallVector<Attribute> shape(getShape(input));
  if (axis < 0 || axis >= static_cast<int64_t>(shape.size()))
    return emitOptionalError(loc, "axis ", axis, " of a value with ",
                             shape.size(), " axes");
  shape.erase(shape.begin() + axis);
  results.push_back(RealType::get(context, shape));
  return success();
}

#define XF_REMOVES_AXIS(OP)                                                    \
  LogicalResult OP::inferReturnTypes(                                          \
      MLIRContext *context, std::optional<Location> loc, Adaptor adaptor,      \
      SmallVectorImpl<Type> &results) {                                        \
    return inferWithoutAxis(context, loc, adaptor.getInput().getType(),        \
                            adaptor.getAxis(), results);                       \
  }
XF_REMOVES_AXIS(SumOp)
XF_REMOVES_AXIS(MeanOp)
XF_REMOVES_AXIS(MaxOp)
#undef XF_REMOVES_AXIS

//===----------------------------------------------------------------------===//
// Constants and rounding
//===----------------------------------------------------------------------===//

LogicalResult ConstantOp::verify() {
  if (getResult().getType().getRank() != 0)
    return emitOpError("a constant must be a scalar, !xf.real<>");
  return success();
}

LogicalResult ClampOp::verify() {
  if (!getLeast() && !getMost())
    return emitOpError("has no bound");
  if (getLeast() && getMost() && getMost()->getValue() < getLeast()->getValue())
    return emitOpError("its upper bound is below its lower bound");
  return success();
}

LogicalResult RoundOp::verify() {
  if (!llvm::is_contained({Format::F32, Format::F16, Format::BF16},
                          getFormat()))
    return emitOpError(
        "must round to f32, f16 or bf16: values have no higher precision");
  return success();
}

LogicalResult QuantizeOp::verify() {
  ArrayRef<Attribute> shape = getType().getShape();
  auto size = shape.empty() ? std::nullopt : getNumber(shape.back());
  if (getGroup() < 1 || !size || *size % static_cast<int64_t>(getGroup()))
    return emitOpError("has groups that do not divide the last axis");
  return success();
}

//===----------------------------------------------------------------------===//
// Selection
//===----------------------------------------------------------------------===//

LogicalResult GatherOp::inferReturnTypes(MLIRContext *context,
                                         std::optional<Location> loc,
                                         Adaptor adaptor,
                                         SmallVectorImpl<Type> &results) {
  ArrayRef<Attribute> table = getShape(adaptor.getTable().getType());
  if (table.empty())
    return emitOptionalError(loc, "a scalar has no rows to gather");
  SmallVector<Attribute> shape(getShape(adaptor.getRows().getType()));
  shape.append(table.begin() + 1, table.end());
  results.push_back(RealType::get(context, shape));
  return success();
}

LogicalResult SelectOp::inferReturnTypes(MLIRContext *context,
                                         std::optional<Location> loc,
                                         Adaptor adaptor,
                                         SmallVectorImpl<Type> &results) {
  Type input = adaptor.getInput().getType();
  int64_t axis = adaptor.getAxis(), position = adaptor.getPosition();
  if (failed(inferWithoutAxis(context, loc, input, axis, results)))
    return failure();
  auto size = getNumber(getShape(input)[axis]);
  if (size && (position >= *size || position < -*size))
    return emitOptionalError(loc, "position ", position,
                             " is outside an axis of ", *size);
  return success();
}

/// Verifies that the result has the shape of the input except along one axis.
static LogicalResult verifyAxis(Operation *op, Type input, Type result,
                                int64_t axis) {
  ArrayRef<Attribute> from = getShape(input), to = getShape(result);
  if (axis < 0 || axis >= static_cast<int64_t>(from.size()))
    return op->emitOpError()
           << "axis " << axis << " of a value with " << from.size() << " axes";
  if (from.size() != to.size())
    return op->emitOpError() << "the result has " << to.size()
                             << " axes, the input " << from.size();
  for (unsigned k = 0; k < from.size(); ++k)
    if (static_cast<int64_t>(k) != axis && from[k] != to[k])
      return op->emitOpError()
             << "changes axis " << k << ", not only axis " << axis;
  return success();
}

LogicalResult SliceOp::verify() {
  if (failed(verifyAxis(*this, getInput().getType(), getResult().getType(),
                        getAxis())))
    return failure();
  Attribute taken = getResult().getType().getShape()[getAxis()];
  auto size = getNumber(getInput().getType().getShape()[getAxis()]);
  // A length may be 0, so it takes at least 0 positions.
  int64_t offset = getOffset(), least = getNumber(taken).value_or(0);
  if (offset < 0 || (size && (offset > *size || least > *size - offset)))
    return emitOpError() << "takes " << printAxis(taken) << " positions from "
                         << offset << " of an axis of "
                         << printAxis(
                                getInput().getType().getShape()[getAxis()]);
  return success();
}

LogicalResult AppendOp::verify() {
  if (failed(verifyAxis(*this, getLhs().getType(), getResult().getType(),
                        getAxis())) ||
      failed(verifyAxis(*this, getRhs().getType(), getResult().getType(),
                        getAxis())))
    return failure();
  Attribute a = getLhs().getType().getShape()[getAxis()],
            b = getRhs().getType().getShape()[getAxis()],
            sum = getResult().getType().getShape()[getAxis()];
  auto first = getDim(a), second = getDim(b);
  if (first && second && axisOf(getContext(), *first + *second) != sum)
    return emitOpError() << printAxis(a) << " and " << printAxis(b)
                         << " positions add up to " << (*first + *second).str()
                         << ", not " << printAxis(sum);
  return success();
}

LogicalResult RepeatOp::inferReturnTypes(MLIRContext *context,
                                         std::optional<Location> loc,
                                         Adaptor adaptor,
                                         SmallVectorImpl<Type> &results) {
  SmallVector<Attribute> shape(getShape(adaptor.getInput().getType()));
  int64_t axis = adaptor.getAxis(), times = adaptor.getTimes();
  if (axis < 0 || axis >= static_cast<int64_t>(shape.size()) || times < 1)
    return emitOptionalError(loc, "cannot repeat axis ", axis, " ", times,
                             " times");
  auto size = getNumber(shape[axis]);
  if (!size)
    return emitOptionalError(loc, "must repeat an axis of a fixed size");
  shape[axis] = xf::getAxis(context, *size * times);
  results.push_back(RealType::get(context, shape));
  return success();
}

LogicalResult PatchesOp::inferReturnTypes(MLIRContext *context,
                                          std::optional<Location> loc,
                                          Adaptor adaptor,
                                          SmallVectorImpl<Type> &results) {
  ArrayRef<Attribute> image = getShape(adaptor.getInput().getType());
  int64_t size = adaptor.getSize();
  if (image.size() != 3)
    return emitOptionalError(loc,
                             "an image must have channels, height and width, ",
                             "but this one has ", image.size(), " axes");
  SmallVector<int64_t> sizes;
  for (Attribute axis : image) {
    auto number = getNumber(axis);
    if (!number)
      return emitOptionalError(loc, "the sizes of an image must be fixed, not ",
                               printAxis(axis));
    sizes.push_back(*number);
  }
  if (size < 1 || sizes[1] % size || sizes[2] % size)
    return emitOptionalError(loc, "an image of ", sizes[1], " x ", sizes[2],
                             " cannot be cut into whole squares of ", size);
  results.push_back(RealType::get(
      context, {xf::getAxis(context, (sizes[1] / size) * (sizes[2] / size)),
                xf::getAxis(context, sizes[0] * size * size)}));
  return success();
}

namespace {
/// What the two sides of a rearrangement determine about a label.
struct LabelSize {
  bool determined = false;
  Attribute axis;                // the axis, if the label is a group by itself
  std::optional<int64_t> number; // its size, if it is fixed
};
using LabelSizes = llvm::StringMap<LabelSize>;
} // namespace

/// Verifies the groups of one side and records the size of each label that is a
/// group by itself.
static LogicalResult collectLabels(RearrangeOp op, RealType type,
                                   ArrayAttr groups, LabelSizes &sizes) {
  if (type.getRank() != groups.size())
    return op.emitOpError() << "a value with " << type.getRank() << " axes has "
                            << groups.size() << " groups of labels";
  llvm::StringSet<> seen;
  for (auto [axis, group] :
       llvm::zip(type.getShape(), groups.getAsRange<ArrayAttr>()))
    for (StringRef label : group.getAsValueRange<StringAttr>()) {
      if (!seen.insert(label).second)
        return op.emitOpError()
               << "label '" << label << "' occurs twice on one side";
      LabelSize &size = sizes[label];
      if (group.size() != 1)
        continue;
      if (size.axis && size.axis != axis)
        return op.emitOpError()
               << "label '" << label << "' is " << printAxis(size.axis)
               << " on one side and " << printAxis(axis) << " on the other";
      size = {true, axis, getNumber(axis)};
    }
  return success();
}

/// A merged axis is the product of its labels: verifies it if all sizes are
/// known, and derives the last one if exactly one is not. Sets `changed` if it
/// derived a size.
static LogicalResult verifyGroup(RearrangeOp op, Attribute axis,
                                 ArrayAttr group, LabelSizes &sizes,
                                 bool &changed) {
  StringRef open;
  int64_t product = 1;
  bool numbers = true;
  for (StringRef label : group.getAsValueRange<StringAttr>()) {
    const LabelSize &size = sizes[label];
    if (!size.determined) {
      if (!open.empty())
        return success();
      open = label;
      continue;
    }
    numbers &= size.number.has_value();
    product *= size.number.value_or(1);
  }
  auto merged = getNumber(axis);
  numbers &= merged.has_value();
  if (open.empty()) {
    if (numbers && product != *merged)
      return op.emitOpError()
             << "labels of an axis of " << *merged << " make " << product;
    return success();
  }
  if (numbers && (product == 0 || *merged % product))
    return op.emitOpError() << "labels of an axis of " << *merged << " make "
                            << product << ", without '" << open << "'";
  changed = true;
  sizes[open].determined = true;
  if (numbers)
    sizes[open].number = *merged / product;
  return success();
}

LogicalResult RearrangeOp::verify() {
  LabelSizes sizes;
  if (failed(collectLabels(*this, getInput().getType(), getFrom(), sizes)))
    return failure();
  size_t labels = sizes.size();
  if (failed(collectLabels(*this, getResult().getType(), getTo(), sizes)))
    return failure();
  size_t resultLabels = 0;
  for (auto group : getTo().getAsRange<ArrayAttr>())
    resultLabels += group.size();
  if (sizes.size() != labels || resultLabels != labels)
    return emitOpError("both sides must have the same labels");
  // A size that one group determines may be the last unknown of a group on the
  // other side, so the groups are visited until nothing new is known. Each
  // round determines at least one label, so the loop ends.
  for (bool changed = true; changed;) {
    changed = false;
    for (auto [type, groups] : {std::pair(getInput().getType(), getFrom()),
                                std::pair(getResult().getType(), getTo())})
      for (auto [axis, group] :
           llvm::zip(type.getShape(), groups.getAsRange<ArrayAttr>()))
        if (failed(verifyGroup(*this, axis, group, sizes, changed)))
          return failure();
  }
  for (auto group : getFrom().getAsRange<ArrayAttr>())
    for (StringRef label : group.getAsValueRange<StringAttr>())
      if (!sizes[label].determined)
        return emitOpError()
               << "cannot infer how many positions '" << label << "' has";
  return success();
}
