// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The gain law of each operation (GainLaw.h). Where none is written here, an
// operation objects. A sum does: its addends would have to lack the same gain,
// and a bias be divided by it, which may be 0; so biases are moved first.

#include "dialect/Labels.h"
#include "dialect/Weights.h"

using namespace mlir;
using namespace transfold;
using namespace transfold::xf;

/// Σ_k (x[k] / g[k]) (g[k] W[k, c]): a weight takes over what is summed;
/// columns pass it on.
FailureOr<Gain> ContractOp::gainLaw(OpOperand &operand, const Gain &gain,
                                    GainLaw &law) {
  bool isLeft = operand.getOperandNumber() == 0;
  StringRef label =
      getLabel(isLeft ? getLhsLabels() : getRhsLabels(), gain.axis);
  OpOperand &other = isLeft ? getRhsMutable() : getLhsMutable();
  auto otherAxis = findLabel(isLeft ? getRhsLabels() : getLhsLabels(), label);
  if (law.lacksGain(other.get()))
    return failure();
  if (auto axis = findLabel(getLabels(), label))
    return Gain{*axis, gain.vector};
  if (!otherAxis || !isWeightOnly(other.get()) ||
      failed(law.absorb(other, *otherAxis, gain.vector)))
    return failure();
  return Gain{};
}

/// (x / g) y = x y / g, where the result has the axis.
template <typename Op>
static FailureOr<Gain> productLaw(Op op, OpOperand &operand, const Gain &gain,
                                  GainLaw &law) {
  bool isLeft = operand.getOperandNumber() == 0;
  if (law.lacksGain(isLeft ? op.getRhs() : op.getLhs()))
    return failure();
  StringRef label =
      getLabel(isLeft ? op.getLhsLabels() : op.getRhsLabels(), gain.axis);
  return Gain{*findLabel(op.getLabels(), label), gain.vector};
}

FailureOr<Gain> MultiplyOp::gainLaw(OpOperand &operand, const Gain &gain,
                                    GainLaw &law) {
  return productLaw(*this, operand, gain, law);
}

FailureOr<Gain> DivideOp::gainLaw(OpOperand &operand, const Gain &gain,
                                  GainLaw &law) {
  if (operand.getOperandNumber() == 1)
    return failure();
  return productLaw(*this, operand, gain, law);
}

FailureOr<Gain> NegateOp::gainLaw(OpOperand &, const Gain &gain, GainLaw &) {
  return gain;
}

FailureOr<Gain> ScaleOp::gainLaw(OpOperand &, const Gain &gain, GainLaw &) {
  return gain;
}

//===----------------------------------------------------------------------===//
// One axis
//===----------------------------------------------------------------------===//

/// An operation over another axis passes it on; `removes`: that axis is gone.
static FailureOr<Gain> overAnother(unsigned axis, const Gain &gain,
                                   bool removes) {
  if (axis == gain.axis)
    return failure();
  return Gain{removes && axis < gain.axis ? gain.axis - 1 : gain.axis,
              gain.vector};
}

FailureOr<Gain> MeanOp::gainLaw(OpOperand &, const Gain &gain, GainLaw &) {
  return overAnother(getAxis(), gain, /*removes=*/true);
}
FailureOr<Gain> SumOp::gainLaw(OpOperand &, const Gain &gain, GainLaw &) {
  return overAnother(getAxis(), gain, /*removes=*/true);
}
FailureOr<Gain> SelectOp::gainLaw(OpOperand &, const Gain &gain, GainLaw &) {
  return overAnother(getAxis(), gain, /*removes=*/true);
}
FailureOr<Gain> SliceOp::gainLaw(OpOperand &, const Gain &gain, GainLaw &) {
  return overAnother(getAxis(), gain, /*removes=*/false);
}
FailureOr<Gain> RepeatOp::gainLaw(OpOperand &, const Gain &gain, GainLaw &) {
  return overAnother(getAxis(), gain, /*removes=*/false);
}

/// An axis that is neither split nor merged keeps it.
FailureOr<Gain> RearrangeOp::gainLaw(OpOperand &, const Gain &gain, GainLaw &) {
  auto group = cast<ArrayAttr>(getFrom()[gain.axis]);
  for (auto [axis, other] : llvm::enumerate(getTo()))
    if (other == group && group.size() == 1)
      return Gain{static_cast<unsigned>(axis), gain.vector};
  return failure();
}
