// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/checkpoint/Checkpoint.h"
#include "compiler/reference/Interpreter.h"
#include "dialect/TensorNames.h"

#include <fmt/format.h>

#include <algorithm>

using namespace mlir;
using namespace transfold;
using namespace transfold::reference;

const checkpoint::StoredTensor &
reference::findStored(xf::StoredOp stored, int64_t member,
                      const checkpoint::Checkpoint &checkpoint) {
  SmallVector<StringRef> indices(
      stored.getIndices().getAsValueRange<StringAttr>());
  std::string name =
      xf::memberName(*stored.getSource(), indices, stored.getExtents(), member);
  auto found = checkpoint.tensors().find(name);
  if (found == checkpoint.tensors().end())
    throw InterpreterError(fmt::format("{}: the checkpoint has no tensor {}",
                                       checkpoint.path(), name));
  const checkpoint::StoredTensor &source = found->second;
  xf::LayoutAttr layout = stored.getLayout();
  int64_t last = layout.getOffset();
  for (auto [size, stride] : llvm::zip(layout.getSizes(), layout.getStrides()))
    last += (size - 1) * stride;
  int64_t count = static_cast<int64_t>(source.bytes.size() /
                                       checkpoint::size(source.dtype));
  if (last >= count)
    throw InterpreterError(
        fmt::format("{}: tensor {} has {} numbers, its layout "
                    "reaches number {}",
                    checkpoint.path(), name, count, last));
  return source;
}

/// The numbers as the file has them, in the axes of the equations.
static Tensor readSource(xf::StoredOp stored, int64_t member,
                         const checkpoint::Checkpoint &checkpoint) {
  const checkpoint::StoredTensor &source =
      findStored(stored, member, checkpoint);
  xf::LayoutAttr layout = stored.getLayout();
  std::vector<int64_t> sizes(layout.getSizes()), strides(layout.getStrides());
  int64_t count = static_cast<int64_t>(source.bytes.size() /
                                       checkpoint::size(source.dtype));
  Tensor flat({count});
  for (int64_t k = 0; k < count; ++k)
    flat.data[k] = source.element(k);
  Tensor result = strided(flat, sizes, strides, layout.getOffset());
  result.shape.clear();
  for (unsigned axis = 0; axis < layout.getRank(); ++axis)
    result.shape.push_back(layout.getExtent(axis));
  return result;
}

Tensor reference::readStored(xf::StoredOp stored, int64_t member,
                             const checkpoint::Checkpoint *checkpoint) {
  Tensor result;
  if (!stored.getSource()) {
    std::vector<int64_t> shape;
    for (unsigned axis = 0; axis < stored.getLayout().getRank(); ++axis)
      shape.push_back(stored.getLayout().getExtent(axis));
    result = Tensor(shape);
    std::fill(result.data.begin(), result.data.end(), 1.0);
  } else if (checkpoint) {
    result = readSource(stored, member, *checkpoint);
  } else {
    throw InterpreterError(
        "the module has weights and no checkpoint was given");
  }
  double added = stored.getAdded() ? stored.getAdded()->toDouble() : 0;
  double factor = stored.getFactor(member).toDouble();
  for (double &value : result.data)
    value = (value + added) * factor;
  return result;
}
