// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Structure: entries, the layer loop, weights, launches. What single operations
// mean is in Evaluate.cpp.

#include "compiler/reference/Interpreter.h"

#include <fmt/format.h>

using namespace mlir;
using namespace transfold;
using namespace transfold::reference;

Interpreter::Interpreter(ModuleOp module,
                         const checkpoint::Checkpoint *checkpoint)
    : module(module), checkpoint(checkpoint) {}

void Interpreter::bindLengths(Type type, const Tensor &value) {
  ArrayRef<Attribute> shape = xf::getShape(type);
  if (shape.size() != value.shape.size())
    throw InterpreterError(
        fmt::format("a value with {} axes where {} were expected",
                    value.shape.size(), shape.size()));
  for (auto [axis, size] : llvm::zip(shape, value.shape)) {
    if (auto number = xf::getNumber(axis)) {
      if (*number != size)
        throw InterpreterError(fmt::format(
            "an axis of {} positions where {} were expected", size, *number));
      continue;
    }
    auto [found, isNew] = lengths.try_emplace(xf::printAxis(axis), size);
    if (!isNew && found->second != size)
      throw InterpreterError(
          fmt::format("length {} is {} for one value and {} for "
                      "another",
                      found->first, found->second, size));
  }
}

std::vector<int64_t> Interpreter::shapeOf(Type type) const {
  std::vector<int64_t> shape;
  for (Attribute axis : xf::getShape(type)) {
    if (auto number = xf::getNumber(axis)) {
      shape.push_back(*number);
      continue;
    }
    auto found = lengths.find(xf::printAxis(axis));
    if (found == lengths.end())
      throw InterpreterError(fmt::format("length {} follows from no argument",
                                         xf::printAxis(axis)));
    shape.push_back(found->second);
  }
  return shape;
}

std::vector<Tensor> Interpreter::run(xf::EntryOp entry,
                                     std::vector<Tensor> arguments) {
  lengths.clear();
  return runFunction(entry.getBody(), std::move(arguments));
}

Tensor Interpreter::derive(xf::StoredOp stored, int64_t member) {
  readsUnfolded = true;
  Values values;
  Block &body = stored.getDerivation().front();
  for (size_t k = stored.getExtents().size(); k-- > 0;) {
    Tensor number(std::vector<int64_t>{});
    number.data[0] = static_cast<double>(member % stored.getExtents()[k]);
    member /= stored.getExtents()[k];
    values[body.getArgument(k)] = std::move(number);
  }
  runBlock(body, values);
  return std::move(values[body.getTerminator()->getOperand(0)]);
}

std::vector<Tensor> Interpreter::runFunction(Region &body,
                                             std::vector<Tensor> arguments) {
  Values values;
  Block &block = body.front();
  if (arguments.size() != block.getNumArguments())
    throw InterpreterError(fmt::format("{} arguments where {} were expected",
                                       arguments.size(),
                                       block.getNumArguments()));
  for (auto [argument, value] : llvm::zip(block.getArguments(), arguments)) {
    bindLengths(argument.getType(), value);
    values[argument] = std::move(value);
  }
  runBlock(block, values);
  std::vector<Tensor> results;
  for (Value result : block.getTerminator()->getOperands())
    results.push_back(values.lookup(result));
  return results;
}

void Interpreter::runBlock(Block &block, Values &values) {
  for (Operation &op : block.without_terminator()) {
    auto layers = dyn_cast<xf::LayersOp>(op);
    if (!layers) {
      Tensor result = evaluate(op, values);
      values[op.getResult(0)] = std::move(result);
      continue;
    }
    std::vector<Tensor> carried;
    for (Value init : layers.getInits())
      carried.push_back(values.lookup(init));
    Block &body = layers.getBody().front();
    for (uint64_t layer = 0; layer < layers.getCount(); ++layer) {
      Tensor number(std::vector<int64_t>{});
      number.data[0] = static_cast<double>(layer);
      values[layers.getLayer()] = std::move(number);
      for (auto [argument, value] : llvm::zip(layers.getCarried(), carried))
        values[argument] = std::move(value);
      runBlock(body, values);
      for (auto [value, next] :
           llvm::zip(carried, body.getTerminator()->getOperands()))
        value = values.lookup(next);
      if (onLayer)
        onLayer(layers, layer, carried);
    }
    for (auto [result, value] : llvm::zip(layers.getResults(), carried))
      values[result] = std::move(value);
  }
}

const Tensor &Interpreter::weight(xf::WeightOp op, Values &values) {
  auto stored = SymbolTable::lookupNearestSymbolFrom<xf::StoredOp>(
      op, op.getStoredAttr());
  int64_t member = 0;
  for (auto [index, extent] : llvm::zip(op.getIndices(), stored.getExtents()))
    member =
        member * extent + static_cast<int64_t>(values.lookup(index).data[0]);
  auto key = std::pair(stored.getSymName().str(), member);
  auto found = weights.find(key);
  if (found == weights.end())
    found = weights
                .emplace(key, readsUnfolded
                                  ? readUnfolded(stored, member, checkpoint)
                                  : readStored(stored, member, checkpoint))
                .first;
  return found->second;
}

Tensor Interpreter::evaluate(Operation &op, Values &values) {
  if (auto read = dyn_cast<xf::WeightOp>(op))
    return weight(read, values);
  if (auto transfer = dyn_cast<xf::TransferOp>(op))
    return values.lookup(transfer.getInput());
  if (auto launch = dyn_cast<xf::LaunchOp>(op)) {
    auto kernel = SymbolTable::lookupNearestSymbolFrom<xf::KernelOp>(
        launch, launch.getKernelAttr());
    std::vector<Tensor> arguments;
    for (Value operand : launch.getOperands())
      arguments.push_back(values.lookup(operand));
    // The kernel has its own names for the lengths.
    // A slice of a table shows them by its result only.
    Tensor shown;
    shown.shape = shapeOf(launch.getResult().getType());
    auto outer = std::exchange(lengths, {});
    bindLengths(kernel.getFunctionType().getResult(0), shown);
    Tensor result =
        std::move(runFunction(kernel.getBody(), std::move(arguments)).front());
    lengths = std::move(outer);
    return result;
  }
  SmallVector<const Tensor *> operands;
  for (Value operand : op.getOperands())
    operands.push_back(&values[operand]);
  return evaluateOp(op, operands, shapeOf(op.getResult(0).getType()));
}
