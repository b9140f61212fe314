// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Evaluates a weight that is computed from others in parts. In
//
//   %t = xf.contract %s[k], %W[k, c] -> [c]
//   %u = xf.add %b[c], %t[c] -> [c]
//
// positions 100 … 199 of %u need those positions of %b and those columns of %W:
// a label that the result keeps is the same position in each operand that has
// it. The parts that are needed of operands are determined from the end of the
// region to its beginning; then the operations run on the parts. An operation
// without a rule below gets whole operands, and its result is cut.

#include "compiler/reference/Interpreter.h"
#include "dialect/Labels.h"
#include "dialect/weights/Weights.h"

#include <llvm/ADT/TypeSwitch.h>

#include <list>

using namespace mlir;
using namespace transfold;
using namespace transfold::reference;

namespace {

/// The part of an operand with labels `own` that a part of the result needs.
OptionalPart partOf(ArrayAttr own, ArrayAttr labels, const Part &part) {
  auto axis = xf::findLabel(own, xf::getLabel(labels, part.axis));
  if (!axis)
    return std::nullopt;
  return Part{*axis, part.first, part.count};
}

/// The parts of the operands that an operation needs for a part of its result;
/// nullopt if it needs them as a whole.
std::optional<SmallVector<OptionalPart>> neededBy(Operation &op,
                                                  const Part &part) {
  auto ofLabels = [&](auto op) {
    return SmallVector<OptionalPart>{
        partOf(op.getLhsLabels(), op.getLabels(), part),
        partOf(op.getRhsLabels(), op.getLabels(), part)};
  };
  using Parts = std::optional<SmallVector<OptionalPart>>;
  return llvm::TypeSwitch<Operation *, Parts>(&op)
      .Case<xf::ContractOp, xf::AddOp, xf::SubtractOp, xf::MultiplyOp,
            xf::DivideOp, xf::MaximumOp>(ofLabels)
      .Default([&](Operation *other) {
        return other->hasTrait<xf::Pointwise>() && other->getNumOperands() == 1
                   ? Parts(SmallVector<OptionalPart>{part})
                   : std::nullopt;
      });
}

/// The part of each value that the operations after it need.
class Needs {
public:
  Needs(Block &body, const OptionalPart &part) {
    ask(body.getTerminator()->getOperand(0), part);
    for (Operation &op : llvm::reverse(body.without_terminator()))
      for (auto [number, operand] : llvm::enumerate(op.getOperands()))
        ask(operand, ofOperand(op, number));
  }

  /// The part of `value` that all its readers together need.
  OptionalPart of(Value value) const { return parts.lookup(value); }

  /// The part of an operand that `op` reads.
  OptionalPart ofOperand(Operation &op, size_t number) const {
    OptionalPart part = of(op.getResult(0));
    auto needed = part ? neededBy(op, *part) : std::nullopt;
    return needed ? (*needed)[number] : std::nullopt;
  }

private:
  /// Merges requirements: two different parts become the whole.
  void ask(Value value, const OptionalPart &part) {
    auto [known, isNew] = parts.try_emplace(value, part);
    if (!isNew && known->second != part)
      known->second = std::nullopt;
  }

  llvm::DenseMap<Value, OptionalPart> parts;
};

/// The shape of a value of fixed sizes, as all values in the region of a weight
/// are.
std::vector<int64_t> numbersOf(Type type) {
  std::vector<int64_t> shape;
  for (Attribute axis : xf::getShape(type))
    shape.push_back(*xf::getNumber(axis));
  return shape;
}

} // namespace

Tensor reference::derivePart(xf::StoredOp stored, int64_t member,
                             const checkpoint::Checkpoint *checkpoint,
                             const OptionalPart &part, const Numbers &numbers) {
  Block &body = stored.getDerivation().front();
  Needs needs(body, part);
  llvm::DenseMap<Value, int64_t> indices;
  for (size_t k = stored.getExtents().size(); k-- > 0;) {
    indices[body.getArgument(k)] = member % stored.getExtents()[k];
    member /= stored.getExtents()[k];
  }
  llvm::DenseMap<Value, Tensor> values;
  for (Operation &op : body.without_terminator()) {
    Value result = op.getResult(0);
    OptionalPart wanted = needs.of(result);
    if (auto read = dyn_cast<xf::WeightOp>(op)) {
      xf::StoredOp other = xf::storedOf(read);
      int64_t number = 0;
      for (auto [index, extent] :
           llvm::zip(read.getIndices(), other.getExtents()))
        number = number * extent + indices.lookup(index);
      values[result] = readUnfolded(other, number, checkpoint, wanted, numbers);
      continue;
    }
    std::vector<int64_t> shape = numbersOf(result.getType());
    bool inParts = wanted && neededBy(op, *wanted);
    if (inParts)
      shape[wanted->axis] = wanted->count;
    // A list, so that the pointers in `operands` stay valid as it grows.
    std::list<Tensor> cuts;
    SmallVector<const Tensor *> operands;
    for (auto [number, operand] : llvm::enumerate(op.getOperands())) {
      OptionalPart own = needs.ofOperand(op, number);
      const Tensor &there = values.find(operand)->second;
      operands.push_back(own == needs.of(operand)
                             ? &there
                             : &cuts.emplace_back(cut(there, own)));
    }
    Tensor made = evaluateOp(op, operands, shape, numbers);
    values[result] = wanted && !inParts ? cut(made, wanted) : std::move(made);
  }
  Value yielded = body.getTerminator()->getOperand(0);
  return std::move(values.find(yielded)->second);
}
