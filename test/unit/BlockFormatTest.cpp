// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From the bits of blocks to numbers, beside what Python's package gguf 0.19
// makes of the same bytes.

#include "dialect/blocks/BlockFormat.h"
#include "compiler/checkpoint/Format.h"

#include <gtest/gtest.h>

#include <bit>
#include <cstring>

using namespace transfold;
using namespace transfold::checkpoint;

namespace {

struct Known {
  DType dtype;
  /// Of the bits of all numbers of two blocks, b: h = 31 · h + b.
  uint32_t sum;
  /// The first two of the first block, the one in its middle and its last, and
  /// the first and last of the second block.
  double numbers[6];
};
constexpr Known known[] = {
    {DType::Q4_0, 0x4f180000, {-4.5, 3.0, -4.5, 0.0, -0.4375, 0.4375}},
    {DType::Q4_1, 0x8e800000, {22.25, 5.75, 13.25, 17.75, 2.8125, 2.375}},
    {DType::Q5_0, 0x940c0000, {13.5, -3.0, 21.0, 1.5, -0.4375, -0.25}},
    {DType::Q5_1, 0x85c50000, {28.25, 35.75, 28.25, 7.25, 1.3125, 1.1875}},
    {DType::Q8_0, 0xe20d0000, {127.5, 183.0, -136.5, -72.0, -3.9375, 4.375}},
    {DType::IQ4_NL, 0xb73e0000, {-52.5, 37.5, -52.5, 1.5, -7.0625, 6.5}},
    {DType::MXFP4,
     0x52400000,
     {0.0, 1.5, 0.75, 1.5, 1.410593220986745e-37, -1.410593220986745e-37}},
    {DType::Q2_K, 0x67bb0000, {49.5, 0.0, 14.25, 9.75, -8.8125, -16.25}},
    {DType::Q3_K, 0xc7930000, {121.5, -162.0, 3.0, 63.0, 0.9375, -0.375}},
    {DType::Q4_K, 0xa679a000, {524.25, 12.75, 646.5, 107.75, -41.3125, -75.0}},
    {DType::Q5_K,
     0x5f251400,
     {1268.25, 12.75, 1582.5, 197.75, -130.3125, -46.5}},
    {DType::Q6_K, 0xf86bf400, {-2146.5, 2544.0, -526.5, -90.0, 25.4375, 100.0}},
    // Made with NumPy: no package knows it.
    {DType::Int8_64, 0x9b610000, {127.5, 183.0, -16.5, 168.0, 2.0625, 0.375}},
};

/// Byte i of both blocks is 37 · i + 11; then each has a scale and a minimum.
std::vector<std::byte> twoBlocks(const BlockFormat &format) {
  std::vector<std::byte> bytes(2 * format.bytes);
  for (size_t i = 0; i < bytes.size(); ++i)
    bytes[i] = static_cast<std::byte>(37 * i + 11);
  // 1.5 and -0.25, -0.0625 and 3 as float16; of MXFP4 exponents.
  constexpr uint16_t scales[] = {0x3e00, 0xac00}, minimums[] = {0xb400, 0x4200};
  constexpr std::byte exponents[] = {std::byte{126}, std::byte{3}};
  for (int k = 0; k < 2; ++k) {
    std::byte *block = bytes.data() + k * format.bytes;
    if (format.isExponent)
      block[format.scaleAt] = exponents[k];
    else
      std::memcpy(block + format.scaleAt, &scales[k], 2);
    if (hasMinimum(format))
      std::memcpy(block + format.minimumAt, &minimums[k], 2);
  }
  return bytes;
}

TEST(BlockFormat, BitsAreNumbers) {
  size_t count = 0;
  // Behind those that files have is int8_row, of which they have the codes.
  for (const BlockFormat &format : blockFormats().first<std::size(known)>()) {
    const Known &expected = known[count++];
    const Format &stored = formatOf(expected.dtype);
    ASSERT_EQ(stored.name, format.name);
    EXPECT_EQ(stored.blockNumbers, format.numbers);
    EXPECT_EQ(stored.blockBytes, format.bytes);
    auto bytes = twoBlocks(format);
    std::vector<double> numbers(2 * format.numbers);
    stored.read(bytes.data(), 0, 1, numbers);
    int n = format.numbers, places[] = {0, 1, n / 2, n - 1, n, 2 * n - 1};
    for (int k = 0; k < 6; ++k)
      EXPECT_EQ(numbers[places[k]], expected.numbers[k])
          << format.name << ", number " << places[k];
    uint32_t sum = 0;
    for (double number : numbers)
      sum = 31 * sum + std::bit_cast<uint32_t>(static_cast<float>(number));
    EXPECT_EQ(sum, expected.sum) << format.name;
  }
  EXPECT_EQ(count, std::size(known));
}

TEST(BlockFormat, AnyNumbersOfATensorCanBeRead) {
  for (const Known &each : known) {
    const Format &stored = formatOf(each.dtype);
    auto bytes = twoBlocks(*findBlockFormat(stored.name));
    std::vector<double> all(2 * stored.blockNumbers), some(9);
    stored.read(bytes.data(), 0, 1, all);
    stored.read(bytes.data(), 3, 7, some);
    for (size_t k = 0; k < some.size(); ++k)
      EXPECT_EQ(some[k], all[3 + 7 * k]) << stored.name;
  }
}

TEST(BlockFormat, ScalesThatAreNoNumbersAreFound) {
  for (const BlockFormat &format : blockFormats().first<std::size(known)>()) {
    auto bytes = twoBlocks(format);
    EXPECT_TRUE(hasFiniteScales(format, bytes.data())) << format.name;
    for (int place :
         {format.isExponent ? -1 : format.scaleAt, format.minimumAt})
      for (uint16_t bits : {0x7c00, 0xfc00, 0x7e01}) {
        if (place < 0)
          continue;
        auto broken = bytes;
        std::memcpy(broken.data() + place, &bits, 2);
        EXPECT_FALSE(hasFiniteScales(format, broken.data())) << format.name;
      }
  }
}

TEST(BlockFormat, BytesAreOfWholeBlocks) {
  EXPECT_EQ(formatOf(DType::Q4_K).bytesOf(512), 288);
  EXPECT_EQ(formatOf(DType::Q4_K).bytesOf(257), 288);
  EXPECT_EQ(formatOf(DType::Q8_0).numbersIn(68), 64);
  EXPECT_EQ(findBlockFormat("q4_0"), &blockFormats()[0]);
  EXPECT_EQ(findBlockFormat("f16"), nullptr);
}

} // namespace
