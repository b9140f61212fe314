// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The interpreter's structure: entries, the layer loop, weights, launches. The
// semantics of single operations are in Evaluate.cpp.

#include "compiler/reference/Interpreter.h"
#include "dialect/Lengths.h"
#include "dialect/weights/Weights.h"

#include <fmt/format.h>

using namespace mlir;
using namespace transfold;
using namespace transfold::reference;

Interpreter::Interpreter(ModuleOp module,
                         const checkpoint::Checkpoint *checkpoint,
                         const Numbers &numbers)
    : module(module), checkpoint(checkpoint), numbers(numbers) {}

/// Rounds the elements as they are stored; integers are unchanged.
static Tensor stored(Tensor value, Type type, const Numbers &numbers) {
  if (isa<xf::RealType>(type))
    numbers.store(value.data);
  return value;
}

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

void Interpreter::bindChosen(Type type, const Tensor &ranks) {
  lengths[xf::printAxis(xf::getShape(type)[0])] =
      ranks.data.empty() ? 0 : static_cast<int64_t>(ranks.data.back());
}

std::vector<int64_t> Interpreter::shapeOf(Type type) const {
  std::vector<int64_t> shape;
  for (Attribute axis : xf::getShape(type)) {
    if (auto number = xf::getNumber(axis)) {
      shape.push_back(*number);
      continue;
    }
    auto found = lengths.find(xf::printAxis(axis));
    shape.push_back(found == lengths.end() ? derived(axis) : found->second);
  }
  return shape;
}

/// The value of a length that follows from others.
int64_t Interpreter::derived(Attribute axis) const {
  auto size = xf::getDim(axis);
  auto value =
      size && xf::isDerived(axis) ? size->at([&](const std::string &name) {
        auto found = lengths.find(name);
        return found == lengths.end() ? std::nullopt
                                      : std::optional(found->second);
      })
                                  : std::nullopt;
  if (!value)
    throw InterpreterError(
        fmt::format("no argument determines length {}", xf::printAxis(axis)));
  if (*value < 1)
    throw InterpreterError(
        fmt::format("length {} is {}, which is less than one position",
                    xf::printAxis(axis), *value));
  return *value;
}

std::vector<Tensor>
Interpreter::run(xf::EntryOp entry, std::vector<Tensor> arguments, Kept *kept) {
  lengths.clear();
  this->kept = kept;
  if (BlockArgument first = entry.getFirst()) {
    // The sequence also contains the rows before those of this step.
    auto length =
        entry.getArgAttrOfType<StringAttr>(first.getArgNumber(), "xf.first_of");
    for (auto [type, value] : llvm::zip(entry.getArgumentTypes(), arguments))
      bindLengths(type, value);
    lengths[xf::EntryOp::getSeen(length).str()] =
        lengths.at(length.str()) +
        static_cast<int64_t>(arguments[first.getArgNumber()].data[0]);
  }
  return runFunction(entry.getBody(), std::move(arguments));
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
    values[argument] = stored(std::move(value), argument.getType(), numbers);
  }
  runBlock(block, values);
  std::vector<Tensor> results;
  for (Value result : block.getTerminator()->getOperands())
    results.push_back(values.lookup(result));
  return results;
}

void Interpreter::runBlock(Block &block, Values &values) {
  for (Operation &op : block.without_terminator()) {
    if (auto rows = dyn_cast<xf::CacheWriteOp>(op)) {
      keep(rows, values);
      continue;
    }
    if (auto layers = dyn_cast<xf::LayersOp>(op)) {
      runLayers(layers, values);
      continue;
    }
    if (auto scan = dyn_cast<xf::ScanOp>(op)) {
      runScan(scan, values);
      continue;
    }
    if (auto launch = dyn_cast<xf::LaunchOp>(op)) {
      runLaunch(launch, values);
    } else {
      Tensor result = evaluate(op, values);
      values[op.getResult(0)] = std::move(result);
    }
    if (observer)
      observer(op, [&](Value value) -> const Tensor & {
        return values.find(value)->second;
      });
  }
}

void Interpreter::runLayers(xf::LayersOp layers, Values &values) {
  std::vector<Tensor> carried;
  for (Value init : layers.getInits())
    carried.push_back(values.lookup(init));
  Block &body = layers.getBody().front();
  for (uint64_t layer = layers.getBegin(); layer < layers.getEnd(); ++layer) {
    Tensor number(std::vector<int64_t>{});
    number.data[0] = static_cast<double>(layer);
    values[layers.getLayer()] = std::move(number);
    for (auto [argument, value] : llvm::zip(layers.getCarried(), carried))
      values[argument] = std::move(value);
    runBlock(body, values);
    for (auto [value, next] :
         llvm::zip(carried, body.getTerminator()->getOperands()))
      value = values.lookup(next);
  }
  for (auto [result, value] : llvm::zip(layers.getResults(), carried))
    values[result] = std::move(value);
}

/// Position `position` of `axis` of a value.
static Tensor rowOf(const Tensor &all, unsigned axis, int64_t position) {
  std::vector<int64_t> shape = all.shape, strides = all.strides();
  const int64_t stride = strides[axis];
  shape.erase(shape.begin() + axis);
  strides.erase(strides.begin() + axis);
  return strided(all, shape, strides, position * stride);
}

/// Writes position `position` of `axis` of a value.
static void setRow(Tensor &all, unsigned axis, int64_t position,
                   const Tensor &row) {
  const int64_t inner = all.strides()[axis], count = all.shape[axis];
  for (int64_t outer = 0; outer * inner < row.size(); ++outer)
    std::copy_n(&row.data[outer * inner], inner,
                &all.data[(outer * count + position) * inner]);
}

void Interpreter::runScan(xf::ScanOp scan, Values &values) {
  std::vector<Tensor> states, results;
  for (Value init : scan.getInits())
    states.push_back(values.lookup(init));
  for (Value result : scan.getRowResults())
    results.emplace_back(shapeOf(result.getType()));
  const int64_t positions =
      values.lookup(scan.getRows()[0]).shape[scan.getRowAxes()[0]];
  for (int64_t step = 0; step < positions; ++step) {
    const int64_t position = scan.getBackwards() ? positions - 1 - step : step;
    for (auto [argument, rows, axis] :
         llvm::zip(scan.getRowArguments(), scan.getRows(), scan.getRowAxes())) {
      Tensor row = rowOf(values.find(rows)->second, axis, position);
      values[argument] = std::move(row);
    }
    for (auto [argument, state] : llvm::zip(scan.getStates(), states))
      values[argument] = std::move(state);
    runBlock(scan.getBody().front(), values);
    for (auto [result, row, axis] :
         llvm::zip(results, scan.getYieldedRows(), scan.getResultAxes()))
      setRow(result, axis, position, values.find(row)->second);
    for (auto [state, next] : llvm::zip(states, scan.getNextStates()))
      state = values.lookup(next);
  }
  for (auto [result, value] : llvm::zip(scan.getRowResults(), results))
    values[result] = std::move(value);
  for (auto [result, value] : llvm::zip(scan.getLastStates(), states))
    values[result] = std::move(value);
}

/// The linear index of `indices` within `extents`, the last index fastest.
static int64_t memberOf(OperandRange indices, ArrayRef<int64_t> extents,
                        const llvm::DenseMap<Value, Tensor> &values) {
  int64_t member = 0;
  for (auto [index, extent] : llvm::zip(indices, extents))
    member =
        member * extent + static_cast<int64_t>(values.lookup(index).data[0]);
  return member;
}

const Tensor &Interpreter::weight(xf::WeightOp op, Values &values) {
  xf::StoredOp weight = xf::storedOf(op);
  int64_t member = memberOf(op.getIndices(), weight.getExtents(), values);
  auto key = std::pair(weight.getSymName().str(), member);
  auto found = weights.find(key);
  if (found == weights.end())
    found = weights
                .emplace(key, stored(readStored(weight, member, checkpoint,
                                                std::nullopt, numbers),
                                     op.getType(), numbers))
                .first;
  return found->second;
}

/// The cache and the member that a read or write in the current layer refers
/// to.
template <typename Op>
static std::pair<std::string, int64_t>
keyOf(Op op, const llvm::DenseMap<Value, Tensor> &values) {
  auto cache =
      SymbolTable::lookupNearestSymbolFrom<xf::CacheOp>(op, op.getCacheAttr());
  return {cache.getSymName().str(),
          memberOf(op.getIndices(), cache.getExtents(), values)};
}

/// The axis along which rows are appended.
static size_t axisOfLength(Type type) {
  ArrayRef<Attribute> axes = xf::getShape(type);
  return llvm::find_if(axes,
                       [](Attribute axis) { return !xf::getNumber(axis); }) -
         axes.begin();
}

/// Rows after those of this step are dropped: a sequence may be rewound.
void Interpreter::keep(xf::CacheWriteOp op, Values &values) {
  if (!kept)
    throw InterpreterError(
        "the entry continues a sequence, but none was given");
  Tensor &cache = (*kept)[keyOf(op, values)];
  const Tensor &rows = values[op.getValue()];
  if (!op.getFirst()) {
    cache = rows;
    return;
  }
  auto first = static_cast<int64_t>(values.lookup(op.getFirst()).data[0]);
  size_t along = axisOfLength(op.getValue().getType());
  if (first && (cache.shape.empty() || cache.shape[along] < first))
    throw InterpreterError(fmt::format(
        "a step begins at position {} of a shorter sequence", first));
  // [outer, positions, inner]
  int64_t inner = rows.strides()[along];
  int64_t outer = rows.size() / (inner * rows.shape[along]);
  Tensor next(rows.shape);
  next.shape[along] += first;
  next.data.resize(Tensor::count(next.shape));
  for (int64_t o = 0; o < outer; ++o) {
    auto *to = &next.data[o * next.shape[along] * inner];
    if (first)
      std::copy_n(&cache.data[o * cache.shape[along] * inner], first * inner,
                  to);
    std::copy_n(&rows.data[o * rows.shape[along] * inner],
                rows.shape[along] * inner, to + first * inner);
  }
  cache = std::move(next);
}

/// Rows before a window are set to 0: no reader may depend on them.
Tensor Interpreter::recall(xf::CacheReadOp op, Values &values) {
  auto found = kept ? kept->find(keyOf(op, values)) : Kept::iterator();
  auto cache =
      SymbolTable::lookupNearestSymbolFrom<xf::CacheOp>(op, op.getCacheAttr());
  if (kept && found == kept->end() && cache.getState())
    return Tensor(shapeOf(op.getType())); // written by the first step
  if (!kept || found == kept->end())
    throw InterpreterError("the sequence has no cached values yet");
  Tensor rows = found->second;
  bindLengths(op.getType(), rows);
  if (!cache.getWindow())
    return rows;
  // [outer, positions, inner]
  size_t along = axisOfLength(cache.getType());
  int64_t seen = rows.shape[along], inner = rows.strides()[along];
  int64_t first = seen - lengths.at(cache.getLength().str());
  int64_t gone = std::max<int64_t>(
      first - static_cast<int64_t>(*cache.getWindow()) + 1, 0);
  for (auto outer = rows.data.begin(); outer != rows.data.end();
       outer += seen * inner)
    std::fill_n(outer, gone * inner, 0.0);
  return rows;
}

void Interpreter::runLaunch(xf::LaunchOp launch, Values &values) {
  auto kernel = launch.lookUpKernel();
  std::vector<Tensor> arguments;
  for (Value operand : launch.getOperands())
    arguments.push_back(values.lookup(operand));
  if (Value ranks = launch.getRanks())
    bindChosen(launch.getResult().getType(), values.lookup(ranks));
  // The kernel has its own names for the lengths. A length that only a slice
  // of a table has follows from the result.
  Tensor shown;
  shown.shape = shapeOf(launch.getResult().getType());
  auto outer = std::exchange(lengths, {});
  bindLengths(kernel.getFunctionType().getResult(0), shown);
  std::vector<Tensor> results =
      runFunction(kernel.getBody(), std::move(arguments));
  lengths = std::move(outer);
  for (auto [result, value] : llvm::zip(launch.getResults(), results))
    values[result] = std::move(value);
}

Tensor Interpreter::evaluate(Operation &op, Values &values) {
  if (auto read = dyn_cast<xf::CacheReadOp>(op))
    return recall(read, values);
  if (auto read = dyn_cast<xf::WeightOp>(op))
    return weight(read, values);
  if (auto transfer = dyn_cast<xf::TransferOp>(op))
    return values.lookup(transfer.getInput());
  if (auto pick = dyn_cast<xf::CompressOp>(op))
    bindChosen(pick.getResult().getType(), values.lookup(pick.getRanks()));
  SmallVector<const Tensor *> operands;
  for (Value operand : op.getOperands())
    operands.push_back(&values[operand]);
  Type type = op.getResult(0).getType();
  return stored(evaluateOp(op, operands, shapeOf(type), numbers), type,
                numbers);
}
