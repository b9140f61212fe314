// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The records of all block formats, and what can be read from a block without
// decoding it. Offsets are bytes from the beginning of a block; the layouts are
// those of llama.cpp's ggml-common.h unless a record says otherwise.

#include "base/numeric/BlockFormat.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <iterator>

using namespace transfold;

namespace {

/// The values of the 16 codes of IQ4_NL and IQ4_XS: denser near 0, where most
/// weights are.
constexpr std::array<int8_t, 16> unevenValues = {
    -127, -104, -83, -65, -49, -35, -22, -10, 1, 13, 25, 38, 53, 69, 89, 113};
/// Twice the values of a float of 4 bits (E2M1).
constexpr std::array<int8_t, 16> miniFloatValues = {
    0, 1, 2, 3, 4, 6, 8, 12, 0, -1, -2, -3, -4, -6, -8, -12};

constexpr BlockFormat allFormats[] = {
    {.name = "q4_0",
     .numbers = 32,
     .bytes = 18,
     .low = {.bits = 4, .offset = 2, .stride = 16},
     .bias = 8,
     .oddBytes = 2},
    {.name = "q4_1",
     .numbers = 32,
     .bytes = 20,
     .low = {.bits = 4, .offset = 4, .stride = 16},
     .minimumAt = 2},
    {.name = "q5_0",
     .numbers = 32,
     .bytes = 22,
     .low = {.bits = 4, .offset = 6, .stride = 16},
     .high = {.bits = 1, .offset = 2},
     .bias = 16,
     .oddBytes = 2},
    {.name = "q5_1",
     .numbers = 32,
     .bytes = 24,
     .low = {.bits = 4, .offset = 8, .stride = 16},
     .high = {.bits = 1, .offset = 4},
     .minimumAt = 2},
    {.name = "q8_0",
     .numbers = 32,
     .bytes = 34,
     .low = {.bits = 8, .offset = 2},
     .isSigned = true,
     .oddBytes = 2},
    {.name = "iq4_nl",
     .numbers = 32,
     .bytes = 18,
     .low = {.bits = 4, .offset = 2, .stride = 16},
     .table = &unevenValues,
     .oddBytes = 2},
    {.name = "iq4_xs",
     .numbers = 256,
     .bytes = 136,
     .low = {.bits = 4, .offset = 8, .stride = 16},
     .table = &unevenValues,
     .parts = PartScales::Fields,
     .partNumbers = 32,
     .scaleLow = {.bits = 4, .offset = 4},
     .scaleHigh = {.bits = 2, .offset = 2},
     .scaleBias = 32},
    {.name = "mxfp4",
     .numbers = 32,
     .bytes = 17,
     .low = {.bits = 4, .offset = 1, .stride = 16},
     .table = &miniFloatValues,
     .isExponent = true,
     .oddBytes = 1},
    {.name = "nvfp4",
     .numbers = 64,
     .bytes = 36,
     .low = {.bits = 4, .offset = 4, .stride = 8},
     .table = &miniFloatValues,
     .parts = PartScales::MiniFloats,
     .partNumbers = 16,
     .scaleLow = {.bits = 8, .offset = 0}},
    {.name = "q2_k",
     .numbers = 256,
     .bytes = 84,
     .low = {.bits = 2, .offset = 16, .stride = 32},
     .scaleAt = 80,
     .minimumAt = 82,
     .parts = PartScales::Fields,
     .partNumbers = 16,
     .scaleLow = {.bits = 4, .offset = 0, .stride = 16},
     .minimum = {.bits = 4, .offset = 0, .stride = 16, .skipped = 16}},
    {.name = "q3_k",
     .numbers = 256,
     .bytes = 110,
     .low = {.bits = 2, .offset = 32, .stride = 32},
     .high = {.bits = 1, .offset = 0, .stride = 32},
     .bias = 4,
     .scaleAt = 108,
     .parts = PartScales::Fields,
     .partNumbers = 16,
     .scaleLow = {.bits = 4, .offset = 96, .stride = 8},
     .scaleHigh = {.bits = 2, .offset = 104, .stride = 4},
     .scaleBias = 32,
     .oddAt = 108,
     .oddBytes = 2},
    {.name = "q4_k",
     .numbers = 256,
     .bytes = 144,
     .low = {.bits = 4, .offset = 16, .stride = 32},
     .minimumAt = 2,
     .parts = PartScales::Interlocked,
     .partNumbers = 32,
     .scaleLow = {.bits = 6, .offset = 4}},
    {.name = "q5_k",
     .numbers = 256,
     .bytes = 176,
     .low = {.bits = 4, .offset = 48, .stride = 32},
     .high = {.bits = 1, .offset = 16, .stride = 32},
     .minimumAt = 2,
     .parts = PartScales::Interlocked,
     .partNumbers = 32,
     .scaleLow = {.bits = 6, .offset = 4}},
    {.name = "q6_k",
     .numbers = 256,
     .bytes = 210,
     .low = {.bits = 4, .offset = 0, .stride = 64},
     .high = {.bits = 2, .offset = 128, .stride = 32},
     .bias = 32,
     .scaleAt = 208,
     .parts = PartScales::Fields,
     .partNumbers = 16,
     .scaleLow = {.bits = 8, .offset = 192},
     .areScalesSigned = true,
     .oddAt = 208,
     .oddBytes = 2},
    // No container format has this one. A scale per 64 elements halves the
    // number of group epilogues compared with q8_0
    // (compiler/fold/QuantizeWeights.cpp states the loss of accuracy).
    {.name = "int8_64",
     .numbers = 64,
     .bytes = 66,
     .low = {.bits = 8, .offset = 2},
     .isSigned = true,
     .oddBytes = 2},
    // Codes as CTranslate2 has them. The scale of a row is repeated in each of
    // its blocks, so that kernels read it like any other scale.
    {.name = "int8_row",
     .numbers = 64,
     .bytes = 68,
     .low = {.bits = 8, .offset = 0},
     .isSigned = true,
     .scaleAt = 64,
     .isSingle = true},
};

/// Whether record k has name k. The readers of checkpoints index the records by
/// checkpoint::DType, whose order is that of the names.
constexpr bool areInOrder() {
  for (size_t k = 0; k < blockFormatCount; ++k)
    if (allFormats[k].name != blockFormatNames[k])
      return false;
  return std::size(allFormats) == blockFormatCount;
}
static_assert(areInOrder(), "a record stands where its name does");

} // namespace

std::span<const BlockFormat, blockFormatCount> transfold::blockFormats() {
  return allFormats;
}

const BlockFormat *transfold::findBlockFormat(std::string_view name) {
  const auto *found = std::ranges::find(allFormats, name, &BlockFormat::name);
  return found == std::end(allFormats) ? nullptr : found;
}

bool transfold::hasFiniteScales(const BlockFormat &format,
                                const std::byte *block) {
  auto isFinite = [&](int byte) { // the exponent bits are not all set
    return (block[byte + 1] & std::byte{0x7c}) != std::byte{0x7c};
  };
  if (format.isSingle) {
    float scale;
    std::memcpy(&scale, block + format.scaleAt, sizeof scale);
    return std::isfinite(scale);
  }
  return (!hasHalfScale(format) || isFinite(format.scaleAt)) &&
         (!hasMinimum(format) || isFinite(format.minimumAt));
}
