// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The walk that moving gains and equalizing channels share. It visits the
// operations of one block in program order, so that all operands that lack the
// gain are known when an operation is reached.

#include "compiler/fold/move/GainWalk.h"

#include "compiler/fold/move/MovedLines.h"

using namespace mlir;
using namespace transfold;
using namespace transfold::fold;

LogicalResult GainWalk::follow(Value value, const xf::Gain &gain) {
  lacking[value] = gain;
  Operation *source = value.getDefiningOp();
  // Operations that yield the value, or read it inside a loop, have no law and
  // therefore stop the walk.
  for (Operation &op : llvm::make_early_inc_range(llvm::make_range(
           std::next(source->getIterator()), source->getBlock()->end())))
    if (failed(visit(op)))
      return failure();
  return success();
}

LogicalResult GainWalk::refuse(Operation *op, const std::string &why) {
  if (objection.empty())
    objection = why.empty() ? describeObjection(op) : why;
  return failure();
}

LogicalResult GainWalk::visit(Operation &op) {
  // A value that a nested loop reads would lack the gain in every layer.
  bool isReadInside = false;
  op.walk([&](Operation *inner) {
    isReadInside |=
        inner != &op && llvm::any_of(inner->getOperands(),
                                     [&](Value x) { return lacksGain(x); });
  });
  if (isReadInside)
    return refuse(&op);
  for (OpOperand &operand : op.getOpOperands()) {
    if (!lacksGain(operand.get()))
      continue;
    ++readers;
    auto law = dyn_cast<xf::GainLawInterface>(op);
    if (!law)
      return refuse(&op);
    const xf::Gain gain = lacking.lookup(operand.get());
    FailureOr<xf::Gain> result = law.gainLaw(operand, gain, *this);
    if (failed(result))
      return refuse(&op);
    if (result->vector)
      lacking[op.getResult(0)] = *result;
  }
  return success();
}
