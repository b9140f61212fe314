// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/reference/RoundedNumbers.h"

#include "compiler/reference/Interpreter.h"
#include "dialect/Channels.h"
#include "dialect/Storage.h"
#include "dialect/blocks/BlockFormat.h"

#include <algorithm>
#include <bit>
#include <cmath>

using namespace mlir;
using namespace transfold;
using namespace transfold::reference;

namespace {
/// Numbers of a tensor, with what is added and multiplied, as floats.
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

  /// Those at `first`, `first` + `step`, ….
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
        throw InterpreterError(place + " has a number that is infinite or NaN, "
                                       "so that it cannot be quantised");
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

RoundedBlocks reference::roundedBlocks(xf::StoredOp stored, int64_t member,
                                       const checkpoint::Checkpoint &checkpoint,
                                       const StoredPlaces &places) {
  const BlockFormat &format = *xf::blockFormatOf(*stored.getRounded());
  const auto rows = std::ranges::minmax(places.rows),
             columns = std::ranges::minmax(places.columns);
  const xf::BlockPlaces all = xf::blockPlacesOf(stored);
  const int64_t whole = all.numbers * all.apart,
                begin = (rows.min + columns.min) / whole * all.apart,
                end = ((rows.max + columns.max) / whole + 1) * all.apart;
  // A part may need few of those between its first and its last.
  std::vector<bool> isNeeded(end - begin);
  for (int64_t row : places.rows)
    for (int64_t column : places.columns)
      isNeeded[all.blockOf(row + column) - begin] = true;
  RoundedBlocks blocks{begin, {}};
  blocks.bytes.resize((end - begin) * format.bytes);
  Floats floats(stored, member, checkpoint);
  auto weighing = xf::ChannelFactors::weighing(stored, member);
  std::vector<float> block(all.numbers),
      weights(weighing.areOne() ? 0 : all.numbers);
  for (int64_t k = 0; k < end - begin; ++k)
    if (isNeeded[k]) {
      const int64_t first = all.firstOf(begin + k);
      floats.read(first, all.apart, block);
      for (size_t own = 0; own < weights.size(); ++own)
        weights[own] = static_cast<float>(
            weighing.at(first + all.apart * static_cast<int64_t>(own)));
      encodeBlock(format, block, weights,
                  blocks.bytes.data() + k * format.bytes);
    }
  return blocks;
}

static double toBfloat16(double number) {
  auto bits = std::bit_cast<uint32_t>(static_cast<float>(number));
  bits += 0x7fff + ((bits >> 16) & 1); // to the nearest, ties to even
  return std::bit_cast<float>(bits & 0xffff0000);
}

/// Each number by itself.
static Tensor roundEach(Tensor tensor, xf::Format format) {
  for (double &number : tensor.data)
    number = format == xf::Format::BF16
                 ? toBfloat16(number)
                 : static_cast<double>(static_cast<_Float16>(number));
  return tensor;
}

Tensor reference::readRounded(xf::StoredOp stored, int64_t member,
                              const checkpoint::Checkpoint &checkpoint,
                              const OptionalPart &part) {
  const xf::Format format = *stored.getRounded();
  if (!xf::isInBlocks(format))
    return roundEach(readFolded(stored, member, &checkpoint, part), format);
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
