// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rounds weights to block formats or to 16 bits, as the program's file has
// them. Blocks are encoded where they lie in the checkpoint's tensor, so that a
// member and its parts get the same codes.

#include "compiler/reference/RoundedNumbers.h"

#include "base/numeric/BlockFormat.h"
#include "base/numeric/Rounding.h"
#include "compiler/reference/Interpreter.h"
#include "dialect/weights/Channels.h"
#include "dialect/weights/Storage.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

using namespace mlir;
using namespace transfold;
using namespace transfold::reference;

namespace {
/// The elements of a tensor after addition and multiplication, as floats.
class Floats {
public:
  Floats(xf::StoredOp stored, int64_t member,
         const checkpoint::Checkpoint &checkpoint)
      : place(nameOf(stored, member, checkpoint)),
        source(findStored(stored, member, checkpoint)),
        factor(stored.getFactor(member).toDouble()),
        channels(xf::ChannelFactors::equalizing(stored, member)) {
    if (xf::ExactAttr exact = stored.getSource()->getAdded())
      added = exact.toDouble();
  }

  /// Reads the elements at `first`, `first` + `step`, ….
  void read(int64_t first, int64_t step, std::span<float> to) {
    const auto count = static_cast<int64_t>(to.size());
    if (first + step * (count - 1) >= source.tensors[0].count())
      throw InterpreterError(place + " ends within a block of " +
                             std::to_string(count));
    doubles.resize(to.size());
    source.read(first, step, doubles);
    for (size_t k = 0; k < to.size(); ++k) {
      double number = (doubles[k] + added) * factor;
      if (!channels.areOne())
        number *= channels.at(first + step * static_cast<int64_t>(k));
      to[k] = static_cast<float>(number);
      if (!std::isfinite(to[k]))
        throw InterpreterError(place + " has an element that is infinite or "
                                       "NaN, so that it cannot be quantized");
    }
  }

private:
  std::string place;
  StoredNumbers source;
  double factor, added = 0;
  xf::ChannelFactors channels;
  std::vector<double> doubles;
};
} // namespace

namespace {
/// The blocks that places need: a part may need few of those between its first
/// and its last.
struct NeededBlocks {
  xf::BlockPlaces all;
  int64_t begin;
  std::vector<bool> isNeeded; // indexed from `begin`

  NeededBlocks(xf::StoredOp stored, const StoredPlaces &places)
      : all(xf::blockPlacesOf(stored)) {
    const auto rows = std::ranges::minmax(places.rows),
               columns = std::ranges::minmax(places.columns);
    // Interleaved blocks are counted in groups of `apart`, so the range begins
    // and ends with a whole group.
    const int64_t whole = all.numbers * all.apart,
                  end = ((rows.max + columns.max) / whole + 1) * all.apart;
    begin = (rows.min + columns.min) / whole * all.apart;
    isNeeded.resize(end - begin);
    for (int64_t row : places.rows)
      for (int64_t column : places.columns)
        isNeeded[all.blockOf(row + column) - begin] = true;
  }

  /// Calls `visit` with the index in `isNeeded` and the first element of each
  /// needed block.
  template <typename Visit> void forEach(Visit visit) const {
    for (size_t k = 0; k < isNeeded.size(); ++k)
      if (isNeeded[k])
        visit(static_cast<int64_t>(k),
              all.firstOf(begin + static_cast<int64_t>(k)));
  }
};
} // namespace

RoundedBlocks reference::roundedBlocks(xf::StoredOp stored, int64_t member,
                                       const checkpoint::Checkpoint &checkpoint,
                                       const StoredPlaces &places) {
  const BlockFormat &format = *xf::blockFormatOf(*stored.getRounded());
  const NeededBlocks needed(stored, places);
  const xf::BlockPlaces &all = needed.all;
  RoundedBlocks blocks{needed.begin, {}};
  blocks.bytes.resize(needed.isNeeded.size() * format.bytes);
  Floats floats(stored, member, checkpoint);
  auto weighing = xf::ChannelFactors::weighing(stored, member);
  std::vector<float> block(all.numbers),
      weights(weighing.areOne() ? 0 : all.numbers);
  needed.forEach([&](int64_t k, int64_t first) {
    floats.read(first, all.apart, block);
    for (size_t own = 0; own < weights.size(); ++own)
      weights[own] = static_cast<float>(
          weighing.at(first + all.apart * static_cast<int64_t>(own)));
    encodeBlock(format, block, weights, blocks.bytes.data() + k * format.bytes);
  });
  return blocks;
}

ScaleLoss reference::scaleLossOf(xf::StoredOp stored, int64_t member,
                                 const checkpoint::Checkpoint &checkpoint) {
  const BlockFormat &format = *xf::blockFormatOf(*stored.getRounded());
  const NeededBlocks needed(stored,
                            placesOf(stored.getLayoutOf(member), std::nullopt));
  Floats floats(stored, member, checkpoint);
  std::vector<float> block(needed.all.numbers);
  ScaleLoss loss;
  needed.forEach([&](int64_t, int64_t first) {
    floats.read(first, needed.all.apart, block);
    for (double number : block) {
      loss.all += number * number;
      loss.largest = std::max(loss.largest, std::abs(number));
    }
    const double square = squareOfScaleError(format, block);
    if (std::isinf(square))
      ++loss.cutOff;
    else
      loss.lost += square * static_cast<double>(block.size());
  });
  return loss;
}

/// Rounds each element, starting from its float32 value for bfloat16.
static Tensor roundEach(Tensor tensor, xf::Format format,
                        const std::string &place) {
  for (double &number : tensor.data) {
    const double wide = number;
    number = format == xf::Format::BF16
                 ? roundedToBfloat16(static_cast<float>(wide))
                 : roundedToFloat16(wide);
    if (std::isnan(number) || (std::isinf(number) && !std::isinf(wide)))
      throw InterpreterError(fmt::format(
          "{} has an element that is {}, so that it cannot be rounded to {}",
          place, std::isnan(number) ? "NaN" : "too large",
          xf::stringifyFormat(format).str()));
  }
  return tensor;
}

Tensor reference::readRounded(xf::StoredOp stored, int64_t member,
                              const checkpoint::Checkpoint &checkpoint,
                              const OptionalPart &part) {
  const xf::Format format = *stored.getRounded();
  if (!xf::isInBlocks(format))
    return roundEach(readFolded(stored, member, &checkpoint, part), format,
                     nameOf(stored, member, checkpoint));
  StoredPlaces places = placesOf(stored.getLayoutOf(member), part);
  RoundedBlocks blocks = roundedBlocks(stored, member, checkpoint, places);
  const xf::BlockPlaces inBlocks = xf::blockPlacesOf(stored);
  const size_t numbers = inBlocks.numbers,
               bytes = xf::blockSizeOf(format).bytes;
  std::vector<double> all(blocks.bytes.size() / bytes * numbers);
  checkpoint::formatNamed(xf::stringifyFormat(format))
      .read(blocks.bytes.data(), 0, 1, all);
  Tensor result(places.shape);
  size_t k = 0;
  for (int64_t row : places.rows)
    for (int64_t column : places.columns) {
      const int64_t place = row + column;
      result.data[k++] =
          all[(inBlocks.blockOf(place) - blocks.first) * numbers +
              inBlocks.numberOf(place)];
    }
  return result;
}
