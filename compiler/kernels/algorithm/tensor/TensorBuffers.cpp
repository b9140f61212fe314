// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arguments and the result: the memory that a kernel reads and writes.

#include "compiler/kernels/algorithm/tensor/Tensor.h"

#include "compiler/kernels/algorithm/numeric/StoredNumbers.h"

#include <fmt/format.h>

#include <algorithm>

using namespace Halide;

namespace transfold::kernels {

// Axes in the order of memory, slowest first: dialect/MemoryOrder.h.
static std::vector<unsigned> orderInMemory(const std::vector<Axis> &axes) {
  std::vector<unsigned> order;
  for (bool length : {true, false})
    for (unsigned axis = 0; axis < axes.size(); ++axis)
      if (axes[axis].isLength() == length)
        order.push_back(axis);
  if (std::count_if(axes.begin(), axes.end(),
                    [](const Axis &axis) { return axis.isLength(); }) > 1)
    std::sort(order.begin(), order.end());
  return order;
}

// Sets the constraints of a buffer from its types, innermost dimension first.
// The rows of a sequence begin anywhere among those of others: they are aligned
// as far as the bytes of a row are. Returns the offset of the first value.
//
// On a device, where an address cannot be moved (OpenCL requires parts of a
// buffer to begin at multiples of up to 512 bytes), a buffer is all of the
// weights or all of the arena: one more dimension, of stride 1, ends where the
// values begin. Elsewhere the returned offset is undefined.
//
// An integer without axes, such as the first position of a step, is not in
// memory on a device: the host passes it as the end of that dimension, so that
// bounds of loops, which the host computes, may depend on it.
Expr AlgorithmBuilder::constrain(OutputImageParam buffer,
                                 const std::vector<Expr> &extents,
                                 const std::vector<bool> &isOwn) const {
  Expr stride = 1;
  int alignment = 64;
  int64_t rowBytes = buffer.type().bytes();
  for (const Expr &extent : extents)
    if (auto number = Internal::as_const_int(extent))
      rowBytes *= *number;
  while (rowBytes % alignment)
    alignment /= 2;
  for (size_t i = 0; i < extents.size(); ++i) {
    auto dimension = buffer.dim(static_cast<int>(i));
    dimension.set_min(0).set_stride(stride);
    if (!isOwn[i])
      dimension.set_extent(extents[i]);
    stride = Internal::simplify(stride * extents[i]);
  }
  if (!isOnDevice) {
    buffer.set_host_alignment(alignment);
    return Expr();
  }
  auto last = buffer.dim(static_cast<int>(extents.size()));
  last.set_min(0).set_stride(1);
  const int places = std::max(alignment / buffer.type().bytes(), 1);
  return (last.extent() - 1) / places * places;
}

std::string AlgorithmBuilder::nextArgument() const {
  return fmt::format("argument{}", algorithm.arguments.size());
}

Tensor AlgorithmBuilder::addArgument(std::vector<Axis> axes,
                                     const StoredNumbers &stored) {
  std::vector<unsigned> order = orderInMemory(axes);
  std::reverse(order.begin(), order.end());
  ImageParam buffer(stored.type, static_cast<int>(axes.size()) + isOnDevice,
                    nextArgument());
  std::vector<Expr> extents, last(axes.size());
  std::vector<bool> isOwn;
  for (size_t i = 0; i < order.size(); ++i) {
    const Axis &axis = axes[order[i]];
    // The first argument with a length defines it; others must have the same
    // extent.
    bool isNew =
        axis.isLength() &&
        lengths.try_emplace(axis.length, buffer.dim(i).extent()).second;
    isOwn.push_back(isNew);
    extents.push_back(isNew ? buffer.dim(i).extent() : extent(axis));
    // Kernels work on whole tiles of rows: rows past the end repeat the last.
    // The number of columns is a multiple of the tile's; that of rows may not
    // be.
    if (axis.isLength() || order[i] + 1 < axes.size())
      last[order[i]] = extents.back() - 1;
  }
  Expr begin = constrain(buffer, extents, isOwn);
  algorithm.arguments.push_back(buffer);
  // The host passed the value as the end of a dimension.
  if (isOnDevice && axes.empty() && stored.type.is_int())
    return {{}, [begin](const Indices &) { return begin; }, true};
  auto place = [=](const Indices &i) -> Expr {
    std::vector<Expr> position;
    for (unsigned axis : order)
      position.push_back(last[axis].defined() ? min(i[axis], last[axis])
                                              : i[axis]);
    if (begin.defined())
      position.push_back(begin);
    return buffer(position);
  };
  auto at = [place, widened = stored.widened](const Indices &i) {
    return widened(place(i));
  };
  Tensor tensor{std::move(axes), at, true};
  if (stored.areBfloats)
    tensor.narrow = [place](const Indices &i) {
      return reinterpret<bfloat16_t>(place(i));
    };
  return tensor;
}

Func AlgorithmBuilder::addResult(unsigned number, const Tensor &result,
                                 const StoredNumbers &stored) {
  if (isOnDevice && result.axes.empty() && stored.type.is_int())
    throw std::runtime_error("on a device the host passes single integers; no "
                             "kernel makes one");
  std::vector<unsigned> order = orderInMemory(result.axes);
  std::reverse(order.begin(), order.end());
  std::vector<Var> variables = algorithm.scan
                                   ? algorithm.scan->results[number]
                                   : indexVariables(result.axes.size());
  std::vector<Var> inMemory;
  for (unsigned axis : order)
    inMemory.push_back(variables[axis]);
  Var offset("offset");
  if (isOnDevice)
    inMemory.push_back(offset);
  Func made(uniqueName("result"));
  Indices place(variables.begin(), variables.end());
  made(inMemory) = stored.areBfloats && result.narrow
                       ? reinterpret<uint16_t>(result.narrow(place))
                       : stored.stored(result.at(place));
  OutputImageParam buffer = made.output_buffer();
  std::vector<Expr> extents;
  std::vector<bool> isOwn;
  for (size_t i = 0; i < order.size(); ++i) {
    const Axis &axis = result.axes[order[i]];
    bool isNew = axis.isLength() && !lengths.count(axis.length);
    isOwn.push_back(isNew);
    extents.push_back(isNew ? buffer.dim(i).extent() : extent(axis));
    if (!axis.isLength())
      made.bound(inMemory[i], 0, static_cast<int>(axis.size));
  }
  if (Expr begin = constrain(buffer, extents, isOwn); begin.defined())
    made.bound(offset, begin, 1);
  return made;
}

Algorithm AlgorithmBuilder::finish(const Tensor &result,
                                   const StoredNumbers &stored) {
  std::vector<unsigned> order = orderInMemory(result.axes);
  for (auto axis = order.rbegin(); axis != order.rend(); ++axis)
    algorithm.resultAxes.push_back(result.axes[*axis]);
  algorithm.result = addResult(0, result, stored);
  return std::move(algorithm);
}

} // namespace transfold::kernels
