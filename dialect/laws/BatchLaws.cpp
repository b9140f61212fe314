// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Batch laws that depend on types: an operation that sums, normalizes, counts
// or selects along an axis with a length needs whole sequences.

#include "dialect/Labels.h"

using namespace mlir;
using namespace transfold;
using namespace transfold::xf;

#include "dialect/XfInterfaces.cpp.inc"

/// Whether an axis has a size that is known only when the program runs.
static bool isLength(Type type, int64_t axis) {
  return !getNumber(getShape(type)[axis]);
}

/// Whether the value has rows of a sequence at all.
static bool hasLength(Type type) {
  return llvm::any_of(getShape(type),
                      [](Attribute axis) { return !getNumber(axis); });
}

/// Whole sequences where `condition` holds, otherwise each row alone.
static BatchLaw sequencesIf(bool condition) {
  return condition ? BatchLaw::Sequences : BatchLaw::Rows;
}

bool ContractOp::sumsOverLength() {
  for (auto [operand, labels] : {std::pair(getLhs(), getLhsLabels()),
                                 std::pair(getRhs(), getRhsLabels())})
    for (unsigned axis = 0; axis < labels.size(); ++axis)
      if (isLength(operand.getType(), axis) &&
          !findLabel(getLabels(), getLabel(labels, axis)))
        return true;
  return false;
}

/// x[n, k] @ W[k, c] is row by row; Q @ K' and the sum over keys are not.
BatchLaw ContractOp::getBatchLaw() {
  bool isOfBoth =
      hasLength(getLhs().getType()) && hasLength(getRhs().getType());
  return sequencesIf(isOfBoth || sumsOverLength());
}

/// The law of operations that combine all elements of a row: rows are
/// independent unless the row itself runs along a length.
static BatchLaw lawOfLastAxis(RealType type) {
  return sequencesIf(type.getRank() && isLength(type, type.getRank() - 1));
}
/// A mask that compares keys with the query's position needs that position.
BatchLaw SoftmaxOp::getBatchLaw() {
  RealType type = getInput().getType();
  auto isOfQuery = [](const MaskAttr::Comparison &c) { return c.query != 0; };
  // A mask that only compares j with constants treats all queries alike; then a
  // row does not depend on its position.
  if (getMask() && isLength(type, type.getRank() - 2) &&
      llvm::any_of(getMask()->getComparisons(), isOfQuery))
    return BatchLaw::Sequences;
  return lawOfLastAxis(type);
}
BatchLaw UnitOp::getBatchLaw() { return lawOfLastAxis(getInput().getType()); }
BatchLaw StandardizeOp::getBatchLaw() {
  return lawOfLastAxis(getInput().getType());
}
BatchLaw UnitRmsOp::getBatchLaw() {
  return lawOfLastAxis(getInput().getType());
}

/// The law of operations that combine or select elements along their axis.
template <typename Op> static BatchLaw lawOfAxis(Op op) {
  return sequencesIf(isLength(op.getInput().getType(), op.getAxis()));
}
BatchLaw SumOp::getBatchLaw() { return lawOfAxis(*this); }
BatchLaw MeanOp::getBatchLaw() { return lawOfAxis(*this); }
BatchLaw MaxOp::getBatchLaw() { return lawOfAxis(*this); }

/// A gather whose table itself consists of rows of the sequence needs
/// sequences.
BatchLaw GatherOp::getBatchLaw() {
  return sequencesIf(hasLength(getTable().getType()));
}

/// P[:n] takes the positions of a sequence; x[:, a:b] takes columns of each
/// row.
BatchLaw SliceOp::getBatchLaw() {
  return sequencesIf(isLength(getInput().getType(), getAxis()) ||
                     isLength(getResult().getType(), getAxis()));
}
BatchLaw SelectOp::getBatchLaw() { return lawOfAxis(*this); }
BatchLaw RepeatOp::getBatchLaw() { return lawOfAxis(*this); }
BatchLaw AppendOp::getBatchLaw() {
  return sequencesIf(isLength(getResult().getType(), getAxis()));
}
