// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Matrices of weights in panels, of single values or of blocks.

#include "compiler/kernels/algorithm/tensor/Tensor.h"

#include "compiler/kernels/algorithm/numeric/StoredBlocks.h"
#include "compiler/kernels/algorithm/numeric/StoredNumbers.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

using namespace Halide;

namespace transfold::kernels {

// Number of rows of a matrix of weights, or of all members of a family. Throws
// std::runtime_error if the axes are not those of a matrix of known size.
static int64_t countRows(const std::vector<Axis> &axes) {
  bool areNumbers =
      std::none_of(axes.begin(), axes.end(),
                   [](const Axis &axis) { return axis.isLength(); });
  if (axes.size() < 2 || !areNumbers)
    throw std::runtime_error("only matrices of weights lie in panels");
  // The rows of the members of a family follow each other.
  int64_t rows = 1;
  for (size_t i = 0; i + 1 < axes.size(); ++i)
    rows *= axes[i].size;
  return rows;
}

// Makes the components from `read(place, what)`, which calls `what` with the
// reader of a block and the index within the block.
template <typename Read>
static Blocks partsOf(const BlockFormat &format, Read read) {
  auto entry = [=](auto what) -> Entry {
    return [=](const Indices &i) { return read(i, what); };
  };
  Blocks blocks{&format};
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

// On a device, values are widened where they are read: scale · (code - bias) +
// minimum, in the same order everywhere. Scales and minimums are functions
// (column, group, members…), so that a schedule can compute them once for a
// group.
static Tensor widenedInPlace(const std::string &name, Tensor tensor) {
  const Blocks blocks = *std::exchange(tensor.blocks, std::nullopt);
  const BlockFormat &format = *blocks.format;
  tensor.groupNumbers = format.groupNumbers();
  const int groups = format.groups(), group = format.groupNumbers();
  const size_t members = tensor.axes.size() - 2;
  const auto ofGroup = [&](const char *what, const Entry &ofBlock,
                           const Blocks::OfGroup &of) -> Func {
    Func function(name + what);
    std::vector<Var> own{Var("column"), Var("group")};
    Indices place;
    for (size_t i = 0; i < members; ++i)
      place.emplace_back(own.emplace_back("member" + std::to_string(i)));
    place.insert(place.end(), {own[1] / groups, own[1] % groups, 0, own[0]});
    function(own) = of(place, ofBlock(place));
    tensor.ofGroups.push_back(function);
    return function;
  };
  Func scales = ofGroup("_scales", blocks.scaleOfBlock, blocks.scale), minimums;
  const bool isFine = hasMinimum(format);
  if (isFine)
    minimums = ofGroup("_minimums", blocks.minimumOfBlock, blocks.minimum);
  tensor.at = [=, &format](const Indices &i) -> Expr {
    const Expr &row = i[members], &column = i.back();
    Indices place(i.begin(), i.begin() + static_cast<int>(members));
    std::vector<Expr> of{column, row / group};
    of.insert(of.end(), place.begin(), place.end());
    place.insert(place.end(),
                 {row / format.numbers, row % format.numbers / group,
                  row % group, column});
    Expr number = cast<float>(blocks.code(place) - format.bias) * scales(of);
    return isFine ? number + minimums(of) : number;
  };
  return tensor;
}

Tensor AlgorithmBuilder::addBlocks(std::vector<Axis> axes,
                                   const BlockFormat &format) {
  const int64_t rows = countRows(axes);
  const int64_t depth = axes[axes.size() - 2].size; // rows of a member
  if (depth % format.numbers)
    throw std::runtime_error(fmt::format("{} rows do not lie in blocks of {}",
                                         depth, format.numbers));
  constexpr int width = blockPanelWidth;
  ImageParam buffer(UInt(8 * wordBytes), 3 + isOnDevice, nextArgument());
  Expr begin =
      constrain(buffer,
                {width * format.bytes / wordBytes,
                 static_cast<int>(rows / format.numbers),
                 static_cast<int>((axes.back().size + width - 1) / width)},
                {false, false, false});
  algorithm.arguments.push_back(buffer);
  // sizes of the member axes, then blocks of a member
  std::vector<int> blocksOfAxes;
  for (size_t axis = 0; axis + 2 < axes.size(); ++axis)
    blocksOfAxes.push_back(static_cast<int>(axes[axis].size));
  blocksOfAxes.push_back(static_cast<int>(depth / format.numbers));
  auto read = [=, &format](const Indices &i, auto what) -> Expr {
    Expr block = 0;
    for (size_t axis = 0; axis < blocksOfAxes.size(); ++axis)
      block = block * blocksOfAxes[axis] + i[axis];
    // group, row of the group, column
    const Expr *place = &i[blocksOfAxes.size()];
    const Expr panel = place[2] / width;
    WordBlock words(format, place[2] % width, [=](const Expr &word) -> Expr {
      std::vector<Expr> position{word, block, panel};
      if (begin.defined())
        position.push_back(begin);
      return buffer(position);
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
  tensor.panelBuffer = {buffer.name(), wordBytes, width,
                        format.bytes / wordBytes, format.numbers};
  tensor.blocks = partsOf(format, read);
  if (isOnDevice)
    return widenedInPlace(uniqueName("matrix"), std::move(tensor));
  return tensor;
}

namespace {
// A buffer that holds a matrix in panels of `columns` columns. On a device, the
// matrix is at offset `begin`.
struct Panels {
  ImageParam buffer;
  Expr begin;
  int columns;

  // The element in a row and a column. If a pair is two elements, `slot`
  // selects one of them.
  Expr at(const Expr &row, const Expr &column, const Expr &slot = {}) const {
    Expr place = column % columns;
    std::vector<Expr> position{slot.defined() ? place * 2 + slot : place, row,
                               column / columns};
    if (begin.defined())
      position.push_back(begin);
    return buffer(position);
  }
};
} // namespace

// Throws std::runtime_error unless `interleaved` is 1, or 2 with a matrix of
// bfloat16 whose `rows` rows are all in pairs.
static void checkInterleaved(const std::vector<Axis> &axes,
                             const StoredNumbers &stored, int64_t rows,
                             int64_t interleaved) {
  bool inPairs = interleaved == 2;
  if (interleaved != 1 && (!inPairs || !stored.ofPair || axes.size() != 2))
    throw std::runtime_error(
        "only rows of a matrix of bfloat16 are interleaved, by two");
  if (inPairs && rows % (2 * pairDistance))
    throw std::runtime_error(std::to_string(rows) +
                             " rows are not all in pairs");
}

// Returns a matrix, or a family of matrices, whose panels hold single values.
static Tensor valuesIn(const std::vector<Axis> &axes,
                       const StoredNumbers &stored, const Panels &panels) {
  auto at = [=](const Indices &i) {
    Expr row = i[0];
    for (size_t axis = 1; axis + 1 < axes.size(); ++axis)
      row = row * static_cast<int>(axes[axis].size) + i[axis];
    return stored.widened(panels.at(row, i.back()));
  };
  Tensor tensor{axes, at, true, panels.columns};
  tensor.panelBuffer = {panels.buffer.name(), stored.type.bytes(),
                        panels.columns};
  return tensor;
}

// Returns a matrix whose panels hold pairs of values of two rows. `inDots`: a
// pair is two elements instead of one.
static Tensor pairsIn(std::vector<Axis> axes, const StoredNumbers &stored,
                      const Panels &panels, bool inDots) {
  auto paired = [=](const Indices &i) {
    return inDots ? cast<float>(panels.at(i[0], i[2], i[1]))
                  : stored.ofPair(panels.at(i[0], i[2]), i[1]);
  };
  auto at = [=](const Indices &i) {
    Expr place = i[0] % (2 * pairDistance);
    return paired(
        {i[0] / (2 * pairDistance) * pairDistance + place % pairDistance,
         place / pairDistance, i[1]});
  };
  const ImageParam &buffer = panels.buffer;
  Tensor tensor{std::move(axes), at, true, panels.columns};
  tensor.paired = paired;
  tensor.panelBuffer = {buffer.name(), buffer.type().bytes(),
                        inDots ? 2 * panels.columns : panels.columns, 1, 2};
  return tensor;
}

Tensor AlgorithmBuilder::addPanels(std::vector<Axis> axes,
                                   const StoredNumbers &stored, int64_t width,
                                   int64_t interleaved) {
  int64_t rows = countRows(axes);
  checkInterleaved(axes, stored, rows, interleaved);
  bool inPairs = interleaved == 2;
  // A pair is one element of 32 bits, or two bfloat16 that one instruction
  // multiplies.
  bool inDots = inPairs && dot == 2 && !marksPairs;
  ImageParam buffer(inDots    ? BFloat(16)
                    : inPairs ? UInt(32)
                              : stored.type,
                    3 + isOnDevice, nextArgument());
  auto columns = static_cast<int>(width);
  auto depth = static_cast<int>(rows / interleaved);
  auto count = static_cast<int>((axes.back().size + width - 1) / width);
  Expr begin = constrain(buffer, {inDots ? 2 * columns : columns, depth, count},
                         {false, false, false});
  algorithm.arguments.push_back(buffer);
  const Panels panels{buffer, begin, columns};
  if (!inPairs)
    return valuesIn(axes, stored, panels);
  Tensor tensor = pairsIn(std::move(axes), stored, panels, inDots);
  if (dot == 2 && marksPairs)
    tensor.pairs = [=](const Indices &i) { return panels.at(i[0], i[1]); };
  return tensor;
}

} // namespace transfold::kernels
