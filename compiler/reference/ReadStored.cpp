// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/reference/Interpreter.h"
#include "compiler/reference/StoredNumbers.h"
#include "dialect/TensorNames.h"

#include <fmt/format.h>

#include <algorithm>

using namespace mlir;
using namespace transfold;
using namespace transfold::reference;

static const checkpoint::StoredTensor &
findTensor(const std::string &name, int64_t last,
           const checkpoint::Checkpoint &checkpoint) {
  auto found = checkpoint.tensors().find(name);
  if (found == checkpoint.tensors().end())
    throw InterpreterError(fmt::format("{}: the checkpoint has no tensor {}",
                                       checkpoint.path(), name));
  const checkpoint::StoredTensor &source = found->second;
  int64_t count = static_cast<int64_t>(source.bytes.size() /
                                       checkpoint::size(source.dtype));
  if (last >= count)
    throw InterpreterError(
        fmt::format("{}: tensor {} has {} numbers, its layout "
                    "reaches number {}",
                    checkpoint.path(), name, count, last));
  return source;
}

StoredNumbers reference::findStored(xf::StoredOp stored, int64_t member,
                                    const checkpoint::Checkpoint &checkpoint) {
  SmallVector<StringRef> indices(
      stored.getIndices().getAsValueRange<StringAttr>());
  std::string name =
      xf::memberName(*stored.getSource(), indices, stored.getExtents(), member);
  xf::LayoutAttr layout = stored.getLayoutOf(member);
  int64_t last = layout.getOffset();
  for (auto [size, stride] : llvm::zip(layout.getSizes(), layout.getStrides()))
    last += (size - 1) * stride;
  auto tensors = stored.getTensors();
  if (!tensors)
    return {{findTensor(name, last, checkpoint)}, last + 1};
  StoredNumbers numbers{{}, tensors->getSize()};
  SmallVector<StringRef> own(
      tensors->getIndices().getAsValueRange<StringAttr>());
  for (int64_t k = 0; k < tensors->getCount(); ++k)
    numbers.tensors.push_back(
        findTensor(xf::memberName(name, own, tensors->getExtents(), k),
                   numbers.each - 1, checkpoint));
  if (last >= tensors->getCount() * numbers.each)
    throw InterpreterError(fmt::format("{}: the layout of {} reaches number {}",
                                       checkpoint.path(), name, last));
  return numbers;
}

double StoredNumbers::element(int64_t number) const {
  // Of one tensor nearly always.
  if (tensors.size() == 1)
    return tensors[0].element(number);
  return tensors[number / each].element(number % each);
}

/// The view that a layout is of `flat`.
static Tensor viewed(xf::LayoutAttr layout, const Tensor &flat) {
  Tensor result =
      strided(flat, std::vector<int64_t>(layout.getSizes()),
              std::vector<int64_t>(layout.getStrides()), layout.getOffset());
  result.shape.clear();
  for (unsigned axis = 0; axis < layout.getRank(); ++axis)
    result.shape.push_back(layout.getExtent(axis));
  return result;
}

/// The numbers as the file has them.
static Tensor readSource(xf::StoredOp stored, int64_t member,
                         const checkpoint::Checkpoint &checkpoint) {
  StoredNumbers source = findStored(stored, member, checkpoint);
  Tensor flat({source.each * static_cast<int64_t>(source.tensors.size())});
  for (size_t k = 0; k < flat.data.size(); ++k)
    flat.data[k] = source.element(static_cast<int64_t>(k));
  return flat;
}

/// A member of a weight whose members are those of others.
static Tensor readChain(xf::StoredOp stored, int64_t member,
                        const checkpoint::Checkpoint *checkpoint) {
  member += stored.getFirst().value_or(0);
  for (auto name : stored.getChain()->getAsRange<FlatSymbolRefAttr>()) {
    auto part =
        SymbolTable::lookupNearestSymbolFrom<xf::StoredOp>(stored, name);
    if (member < part.getMembers())
      return readUnfolded(part, member, checkpoint);
    member -= part.getMembers();
  }
  throw InterpreterError(
      fmt::format("{} has no member {}", stored.getSymName().str(), member));
}

Tensor reference::readUnfolded(xf::StoredOp stored, int64_t member,
                               const checkpoint::Checkpoint *checkpoint) {
  xf::LayoutAttr layout = stored.getLayoutOf(member);
  if (!stored.getDerivation().empty())
    return viewed(layout,
                  Interpreter(stored->getParentOfType<ModuleOp>(), checkpoint)
                      .derive(stored, member));
  if (stored.getChain())
    return viewed(layout, readChain(stored, member, checkpoint));
  if (!stored.getSource()) {
    std::vector<int64_t> shape;
    for (unsigned axis = 0; axis < layout.getRank(); ++axis)
      shape.push_back(layout.getExtent(axis));
    Tensor ones(shape);
    std::fill(ones.data.begin(), ones.data.end(), 1.0);
    return ones;
  }
  if (!checkpoint)
    throw InterpreterError(
        "the module has weights and no checkpoint was given");
  Tensor result = viewed(layout, readSource(stored, member, *checkpoint));
  double added = stored.getAdded() ? stored.getAdded()->toDouble() : 0;
  for (double &value : result.data)
    value += added;
  return result;
}

Tensor reference::readStored(xf::StoredOp stored, int64_t member,
                             const checkpoint::Checkpoint *checkpoint) {
  Tensor result = readUnfolded(stored, member, checkpoint);
  double factor = stored.getFactor(member).toDouble();
  for (double &value : result.data)
    value *= factor;
  return result;
}
