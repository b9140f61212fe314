// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arguments, the result, and operations that move or combine single entries.

#include "compiler/kernels/algorithm/Tensor.h"

#include "compiler/kernels/algorithm/StoredBlocks.h"
#include "compiler/kernels/algorithm/StoredNumbers.h"

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

// What the types say about a buffer, innermost dimension first. A sequence's
// rows begin anywhere among those of others: they are aligned as far as a row's
// bytes are. Returns where the values begin.
//
// On a device, where an address cannot be moved (OpenCL wants parts of a buffer
// to begin at multiples of up to 512 bytes), a buffer is all of the weights or
// all of the arena: one more dimension, of stride 1, ends where the values
// begin. Elsewhere the result is undefined.
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
  int words = alignment / 4;
  return (last.extent() - 1) / words * words;
}

std::string AlgorithmBuilder::nextArgument() const {
  return fmt::format("argument{}", algorithm.arguments.size());
}

// Axes of a matrix of weights, of a family too; how many rows it has in all.
static int64_t countRows(const std::vector<Axis> &axes) {
  bool areNumbers =
      std::none_of(axes.begin(), axes.end(),
                   [](const Axis &axis) { return axis.isLength(); });
  if (axes.size() < 2 || !areNumbers)
    throw std::runtime_error("only matrices of weights lie in panels");
  // Of a family, the rows of all members one after the other.
  int64_t rows = 1;
  for (size_t i = 0; i + 1 < axes.size(); ++i)
    rows *= axes[i].size;
  return rows;
}

// `read(place, what)` has a reader say what it is asked of a place.
template <typename Read>
static Blocks partsOf(const BlockFormat &format, const std::string &buffer,
                      Read read) {
  auto entry = [=](auto what) -> Entry {
    return [=](const Indices &i) { return read(i, what); };
  };
  Blocks blocks{&format, buffer};
  blocks.code = entry([](const auto &reader, const auto &index) {
    return reader.codeOf(index);
  });
  if (!format.isSigned && !format.table)
    blocks.word = entry([](const auto &reader, const auto &index) {
      return reader.codesOf(index);
    });
  blocks.scaleOfBlock = entry(
      [](const auto &reader, const auto &) { return reader.scaleOfBlock(); });
  blocks.scale = [=](const Indices &i, const Expr &ofBlock) {
    return read(i, [=](const auto &reader, const auto &index) {
      return reader.scaleOfGroup(index, ofBlock);
    });
  };
  if (hasMinimum(format)) {
    blocks.minimumOfBlock = entry([](const auto &reader, const auto &) {
      return reader.minimumOfBlock();
    });
    blocks.minimum = [=, &format](const Indices &i, const Expr &ofBlock) {
      return read(i, [=, &format](const auto &reader, const auto &index) {
        Expr minimum = reader.minimumOfGroup(index, ofBlock);
        return isMinimumSubtracted(format) ? -minimum : minimum;
      });
    };
  } else if (format.bias) {
    // scale · (code - bias) = scale · code - scale · bias, which is exact.
    blocks.minimumOfBlock = blocks.scaleOfBlock;
    blocks.minimum = [=, bias = static_cast<float>(-format.bias),
                      scale = blocks.scale](const Indices &i,
                                            const Expr &ofBlock) {
      return scale(i, ofBlock) * bias;
    };
  }
  return blocks;
}

Tensor AlgorithmBuilder::addBlocks(std::vector<Axis> axes,
                                   const BlockFormat &format) {
  const int64_t rows = countRows(axes);
  const int64_t depth = axes[axes.size() - 2].size; // of a member
  if (depth % format.numbers || isOnDevice)
    throw std::runtime_error(fmt::format("{} rows do not lie in blocks of {}",
                                         depth, format.numbers));
  constexpr int width = blockPanelWidth;
  ImageParam buffer(UInt(8 * format.placeBytes()), 3, nextArgument());
  constrain(buffer,
            {width * format.bytes / format.placeBytes(),
             static_cast<int>(rows / format.numbers),
             static_cast<int>((axes.back().size + width - 1) / width)},
            {false, false, false});
  algorithm.arguments.push_back(buffer);
  std::vector<int> blocksOfAxes; // of the members, and of one
  for (size_t axis = 0; axis + 2 < axes.size(); ++axis)
    blocksOfAxes.push_back(static_cast<int>(axes[axis].size));
  blocksOfAxes.push_back(static_cast<int>(depth / format.numbers));
  auto read = [=, &format](const Indices &i, auto what) -> Expr {
    Expr block = 0;
    for (size_t axis = 0; axis < blocksOfAxes.size(); ++axis)
      block = block * blocksOfAxes[axis] + i[axis];
    const Expr *place = &i[blocksOfAxes.size()]; // group, number, column
    const Expr panel = place[2] / width;
    WordBlock words(format, place[2] % width, [=](const Expr &word) -> Expr {
      return buffer(word, block, panel);
    });
    return what(BlockReader(format, words),
                BlockIndex<Expr>{place[0], place[1], format.groupNumbers()});
  };
  auto at = [=, &format](const Indices &i) {
    Indices place(i.begin(), i.end() - 2);
    const Expr &row = i[i.size() - 2];
    const int numbers = format.numbers, group = format.groupNumbers();
    place.insert(place.end(),
                 {row / numbers, row % numbers / group, row % group, i.back()});
    return read(place, [](const auto &reader, const auto &index) {
      return reader.numberOf(index);
    });
  };
  Tensor tensor{std::move(axes), at, true, width};
  tensor.blocks = partsOf(format, buffer.name(), read);
  return tensor;
}

Tensor AlgorithmBuilder::addPanels(std::vector<Axis> axes,
                                   const StoredNumbers &stored, int64_t width,
                                   int64_t interleaved) {
  int64_t rows = countRows(axes);
  bool inPairs = interleaved == 2;
  if (interleaved != 1 && (!inPairs || !stored.ofPair || axes.size() != 2))
    throw std::runtime_error(
        "only rows of a matrix of bfloat16 are interleaved, by two");
  if (inPairs && rows % (2 * pairDistance))
    throw std::runtime_error(std::to_string(rows) +
                             " rows are not all in pairs");
  // A pair is one number of 32 bits, or two that one instruction multiplies.
  bool inDots = inPairs && dot == 2;
  ImageParam buffer(inDots    ? BFloat(16)
                    : inPairs ? UInt(32)
                              : stored.type,
                    3 + isOnDevice, nextArgument());
  auto columns = static_cast<int>(width);
  auto depth = static_cast<int>(rows / interleaved);
  auto panels = static_cast<int>((axes.back().size + width - 1) / width);
  Expr begin =
      constrain(buffer, {inDots ? 2 * columns : columns, depth, panels},
                {false, false, false});
  algorithm.arguments.push_back(buffer);
  auto entry = [=](const Expr &row, const Expr &column,
                   const Expr &slot = {}) -> Expr {
    Expr place = column % columns;
    std::vector<Expr> position{slot.defined() ? place * 2 + slot : place, row,
                               column / columns};
    if (begin.defined())
      position.push_back(begin);
    return buffer(position);
  };
  if (!inPairs) {
    auto at = [=](const Indices &i) {
      Expr row = i[0];
      for (size_t axis = 1; axis + 1 < axes.size(); ++axis)
        row = row * static_cast<int>(axes[axis].size) + i[axis];
      return stored.widened(entry(row, i.back()));
    };
    return {axes, at, true, columns};
  }
  auto paired = [=](const Indices &i) {
    return inDots ? cast<float>(entry(i[0], i[2], i[1]))
                  : stored.ofPair(entry(i[0], i[2]), i[1]);
  };
  auto at = [=](const Indices &i) {
    Expr place = i[0] % (2 * pairDistance);
    return paired(
        {i[0] / (2 * pairDistance) * pairDistance + place % pairDistance,
         place / pairDistance, i[1]});
  };
  return {std::move(axes), at, true, columns, paired};
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
    bool isNew =
        axis.isLength() &&
        lengths.try_emplace(axis.length, buffer.dim(i).extent()).second;
    isOwn.push_back(isNew);
    extents.push_back(isNew ? buffer.dim(i).extent() : extent(axis));
    // Kernels work on whole tiles of rows: rows behind the end repeat the last.
    // Columns are a number that tiles divide; rows may be one that they do not.
    if (axis.isLength() || order[i] + 1 < axes.size())
      last[order[i]] = extents.back() - 1;
  }
  Expr begin = constrain(buffer, extents, isOwn);
  algorithm.arguments.push_back(buffer);
  auto at = [=](const Indices &i) {
    std::vector<Expr> position;
    for (unsigned axis : order)
      position.push_back(last[axis].defined() ? min(i[axis], last[axis])
                                              : i[axis]);
    if (begin.defined())
      position.push_back(begin);
    return stored.widened(buffer(position));
  };
  return {std::move(axes), at, true};
}

Tensor AlgorithmBuilder::define(const std::string &operation,
                                std::vector<Axis> axes, const Entry &entry,
                                const std::optional<Var> &piece) {
  Func function(uniqueName(operation));
  std::vector<Var> variables = indexVariables(axes.size());
  function(innermostFirst(variables, piece)) =
      entry(Indices(variables.begin(), variables.end()));
  Tensor result{std::move(axes), entriesOf(function, piece)};
  result.piece = piece;
  return result;
}

Algorithm AlgorithmBuilder::finish(const Tensor &result) {
  std::vector<unsigned> order = orderInMemory(result.axes);
  std::reverse(order.begin(), order.end());
  std::vector<Var> variables = indexVariables(result.axes.size());
  std::vector<Var> inMemory;
  std::vector<Expr> extents;
  std::vector<bool> isOwn;
  for (unsigned axis : order) {
    inMemory.push_back(variables[axis]);
    algorithm.resultAxes.push_back(result.axes[axis]);
  }
  Var offset("offset");
  if (isOnDevice)
    inMemory.push_back(offset);
  algorithm.result = Func(algorithm.name + "_result");
  algorithm.result(inMemory) =
      result.at(Indices(variables.begin(), variables.end()));
  OutputImageParam buffer = algorithm.result.output_buffer();
  for (size_t i = 0; i < order.size(); ++i) {
    const Axis &axis = algorithm.resultAxes[i];
    bool isNew = axis.isLength() && !lengths.count(axis.length);
    isOwn.push_back(isNew);
    extents.push_back(isNew ? buffer.dim(i).extent() : extent(axis));
    if (!axis.isLength())
      algorithm.result.bound(inMemory[i], 0, static_cast<int>(axis.size));
  }
  if (Expr begin = constrain(buffer, extents, isOwn); begin.defined())
    algorithm.result.bound(offset, begin, 1);
  return std::move(algorithm);
}

//===----------------------------------------------------------------------===//
// Entry by entry
//===----------------------------------------------------------------------===//

Tensor AlgorithmBuilder::constant(const Expr &value, std::vector<Axis> axes) {
  return {std::move(axes), [=](const Indices &) { return value; }, true};
}

Tensor AlgorithmBuilder::length(const Axis &axis) {
  Tensor number = constant(cast<float>(extent(axis)));
  number.count = extent(axis);
  return number;
}

Tensor AlgorithmBuilder::unary(const std::string &name, const Tensor &input,
                               const std::function<Expr(Expr)> &function) {
  return define(
      name, input.axes, [&](const Indices &i) { return function(input.at(i)); },
      input.piece);
}

// The indices of an operand with `own` labels, where the result has `labels`.
static Indices pick(const Indices &indices, const Labels &labels,
                    const Labels &own) {
  Indices picked;
  for (const std::string &label : own)
    picked.push_back(indices[static_cast<size_t>(
        std::find(labels.begin(), labels.end(), label) - labels.begin())]);
  return picked;
}

static std::vector<Axis> axesOf(const Labels &labels, const Tensor &lhs,
                                const Labels &lhsLabels, const Tensor &rhs,
                                const Labels &rhsLabels) {
  std::vector<Axis> axes;
  for (const std::string &label : labels) {
    auto left = std::find(lhsLabels.begin(), lhsLabels.end(), label);
    auto right = std::find(rhsLabels.begin(), rhsLabels.end(), label);
    axes.push_back(left != lhsLabels.end()
                       ? lhs.axes[left - lhsLabels.begin()]
                       : rhs.axes[right - rhsLabels.begin()]);
  }
  return axes;
}

Tensor
AlgorithmBuilder::pointwise(const std::string &name, const Tensor &lhs,
                            const Labels &lhsLabels, const Tensor &rhs,
                            const Labels &rhsLabels, const Labels &labels,
                            const std::function<Expr(Expr, Expr)> &function) {
  return define(
      name, axesOf(labels, lhs, lhsLabels, rhs, rhsLabels),
      [&](const Indices &i) {
        return function(lhs.at(pick(i, labels, lhsLabels)),
                        rhs.at(pick(i, labels, rhsLabels)));
      },
      lhs.piece ? lhs.piece : rhs.piece);
}

//===----------------------------------------------------------------------===//
// Which numbers, in which order
//===----------------------------------------------------------------------===//

Tensor AlgorithmBuilder::gather(const Tensor &table, const Tensor &rows) {
  std::vector<Axis> axes = rows.axes;
  axes.insert(axes.end(), table.axes.begin() + 1, table.axes.end());
  size_t rank = rows.axes.size();
  // The runtime refuses tokens that the table lacks; the clamp keeps any other
  // caller inside the table. A table that is defined by index may have a length
  // that nothing in memory has, and no end.
  const Axis &axis = table.axes[0];
  Expr last;
  if (!axis.isLength() || lengths.contains(axis.length))
    last = extent(axis) - 1;
  auto at = [=](const Indices &i) {
    Expr row = rows.at(Indices(i.begin(), i.begin() + rank));
    Indices position{last.defined() ? clamp(row, 0, last) : row};
    position.insert(position.end(), i.begin() + rank, i.end());
    return table.at(position);
  };
  return {std::move(axes), at, table.isStored};
}

Tensor AlgorithmBuilder::slice(const Tensor &input, unsigned axis,
                               const Expr &offset, std::vector<Axis> axes) {
  Expr last = extent(input.axes[axis]) - 1;
  bool mayEndBehind = axes[axis].isLength();
  auto at = [=](const Indices &i) {
    Indices position = i;
    position[axis] = position[axis] + offset;
    if (mayEndBehind)
      position[axis] = min(position[axis], last);
    return input.at(position);
  };
  return {std::move(axes), at, input.isStored};
}

Tensor AlgorithmBuilder::select(const Tensor &input, unsigned axis,
                                int64_t position) {
  std::vector<Axis> axes = input.axes;
  axes.erase(axes.begin() + axis);
  Expr index = static_cast<int>(position);
  if (position < 0)
    index = index + extent(input.axes[axis]);
  auto at = [=](const Indices &i) {
    Indices whole = i;
    whole.insert(whole.begin() + axis, index);
    return input.at(whole);
  };
  return {std::move(axes), at, input.isStored};
}

Tensor AlgorithmBuilder::repeat(const Tensor &input, unsigned axis,
                                int64_t times) {
  std::vector<Axis> axes = input.axes;
  if (axes[axis].isLength())
    throw std::runtime_error("repeats along a length are not supported");
  axes[axis].size *= times;
  auto at = [=](const Indices &i) {
    Indices position = i;
    position[axis] = position[axis] / static_cast<int>(times);
    return input.at(position);
  };
  return {std::move(axes), at, input.isStored};
}

Tensor AlgorithmBuilder::stack(const std::vector<Tensor> &members) {
  std::vector<Axis> axes = members[0].axes;
  axes.insert(axes.begin(), Axis{static_cast<int64_t>(members.size()), ""});
  return define("stack", std::move(axes), [&](const Indices &i) {
    Indices inner(i.begin() + 1, i.end());
    Expr entry = members.back().at(inner);
    for (size_t k = members.size() - 1; k-- > 0;)
      entry = Halide::select(i[0] == static_cast<int>(k), members[k].at(inner),
                             entry);
    return entry;
  });
}

Tensor AlgorithmBuilder::append(const Tensor &lhs, const Tensor &rhs,
                                unsigned axis, std::vector<Axis> axes) {
  Expr border = extent(lhs.axes[axis]);
  return define("append", std::move(axes), [&](const Indices &i) {
    Indices left = i, right = i;
    left[axis] = min(i[axis], border - 1);
    right[axis] = max(i[axis] - border, 0);
    return Halide::select(i[axis] < border, lhs.at(left), rhs.at(right));
  });
}

Tensor AlgorithmBuilder::patches(const Tensor &image, int64_t size,
                                 std::vector<Axis> axes) {
  int side = static_cast<int>(size);
  int across = static_cast<int>(image.axes[2].size) / side;
  auto at = [=](const Indices &i) {
    Expr column = i[1] % side, line = i[1] / side;
    return image.at({line / side, i[0] / across * side + line % side,
                     i[0] % across * side + column});
  };
  return {std::move(axes), at, image.isStored};
}

Tensor AlgorithmBuilder::rearrange(const Tensor &input,
                                   const std::vector<Labels> &from,
                                   const std::vector<Labels> &to,
                                   std::vector<Axis> axes) {
  // A label that has an axis to itself, on either side, has that axis's size.
  std::map<std::string, Expr> sizes;
  auto collect = [&](const std::vector<Labels> &groups,
                     const std::vector<Axis> &own) {
    for (size_t i = 0; i < groups.size(); ++i)
      if (groups[i].size() == 1)
        sizes.try_emplace(groups[i][0], extent(own[i]));
  };
  collect(from, input.axes);
  collect(to, axes);
  for (const std::vector<Labels> *groups : {&from, &to})
    for (const Labels &group : *groups)
      for (const std::string &label : group)
        if (!sizes.count(label))
          throw std::runtime_error("the size of label " + label +
                                   " is on no axis");

  auto at = [=](const Indices &indices) {
    std::map<std::string, Expr> position;
    for (size_t i = 0; i < to.size(); ++i) {
      Expr rest = indices[i];
      for (size_t k = to[i].size(); k-- > 0;) {
        const std::string &label = to[i][k];
        position[label] = k ? rest % sizes.at(label) : rest;
        rest = rest / sizes.at(label);
      }
    }
    Indices merged;
    for (const Labels &group : from) {
      Expr index = 0;
      for (const std::string &label : group)
        index = index * sizes.at(label) + position.at(label);
      merged.push_back(index);
    }
    return input.at(merged);
  };
  return {std::move(axes), at, input.isStored};
}

} // namespace transfold::kernels
