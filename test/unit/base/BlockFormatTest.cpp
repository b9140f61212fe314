// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Decodes blocks, and compares the values with those of Python's package gguf
// 0.19 for the same bytes.

#include "base/numeric/BlockFormat.h"
#include "compiler/checkpoint/Format.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <stdexcept>
#include <vector>

using namespace transfold;
using namespace transfold::checkpoint;

namespace {

struct Known {
  DType dtype;
  /// A hash over the bits of all values of two blocks: h = 31 · h + b for each
  /// b.
  uint32_t sum;
  /// Values of the first block: the first two, the one in its middle and the
  /// last; and the first and last of the second block.
  double numbers[6];
};
constexpr Known known[] = {
    {DType::Q4_0, 0x4f180000, {-4.5, 3.0, -4.5, 0.0, -0.4375, 0.4375}},
    {DType::Q4_1, 0x8e800000, {22.25, 5.75, 13.25, 17.75, 2.8125, 2.375}},
    {DType::Q5_0, 0x940c0000, {13.5, -3.0, 21.0, 1.5, -0.4375, -0.25}},
    {DType::Q5_1, 0x85c50000, {28.25, 35.75, 28.25, 7.25, 1.3125, 1.1875}},
    {DType::Q8_0, 0xe20d0000, {127.5, 183.0, -136.5, -72.0, -3.9375, 4.375}},
    {DType::IQ4_NL, 0xb73e0000, {-52.5, 37.5, -52.5, 1.5, -7.0625, 6.5}},
    {DType::IQ4_XS, 0xe4177000, {97.5, -1.5, -877.5, -24.0, 21.375, -85.3125}},
    {DType::MXFP4,
     0x52400000,
     {0.0, 1.5, 0.75, 1.5, 1.410593220986745e-37, -1.410593220986745e-37}},
    {DType::NVFP4,
     0xf6540000,
     {-0.12890625, 0.04296875, -78.0, 160.0, 2.8125, 0.875}},
    {DType::Q2_K, 0x67bb0000, {49.5, 0.0, 14.25, 9.75, -8.8125, -16.25}},
    {DType::Q3_K, 0xc7930000, {121.5, -162.0, 3.0, 63.0, 0.9375, -0.375}},
    {DType::Q4_K, 0xa679a000, {524.25, 12.75, 646.5, 107.75, -41.3125, -75.0}},
    {DType::Q5_K,
     0x5f251400,
     {1268.25, 12.75, 1582.5, 197.75, -130.3125, -46.5}},
    {DType::Q6_K, 0xf86bf400, {-2146.5, 2544.0, -526.5, -90.0, 25.4375, 100.0}},
    // Computed with NumPy: no package has this format.
    {DType::Int8_64, 0x9b610000, {127.5, 183.0, -16.5, 168.0, 2.0625, 0.375}},
};

constexpr Known inCodebooks[] = {
    {DType::IQ2_XXS,
     0xc7168000,
     {-88.6875, 88.6875, -145.3125, -120.9375, 1.8125, -1.9375}},
    {DType::IQ2_XS,
     0x5218d000,
     {-16.5, 51.5625, -28.5, -28.5, -5.0390625, -0.5625}},
    {DType::IQ2_S,
     0x34808000,
     {-217.6875, 126.5625, -14.0625, 117.1875, 0.9375, -1.1875}},
    {DType::IQ3_XXS, 0x22b8f000, {-19.5, 13.5, -82.5, -22.5, 2.8125, -3.0625}},
    {DType::IQ3_S, 0x5370c000, {-121.5, 364.5, -157.5, 337.5, 1.3125, -1.4375}},
    {DType::IQ1_S,
     0x356e0000,
     {-3.9375, 0.5625, -11.8125, -6.5625, 0.6015625, -0.0859375}},
    {DType::IQ1_M,
     0x7bcf8000,
     {-1.3125, 9.1875, 2.8125, -2.8125, -0.4921875, -0.3828125}},
    {DType::TQ1_0, 0x57000000, {-1.5, -1.5, 0.0, -1.5, -0.0625, -0.0625}},
    {DType::TQ2_0, 0xaa000000, {3.0, -1.5, 3.0, -1.5, -0.0, -0.0625}},
};

// 1.5 and -0.0625 as float16.
constexpr uint16_t scales[] = {0x3e00, 0xac00};

/// Byte i is 37 · i + 11.
std::vector<std::byte> countedBytes(int64_t size) {
  std::vector<std::byte> bytes(size);
  for (size_t i = 0; i < bytes.size(); ++i)
    bytes[i] = static_cast<std::byte>(37 * i + 11);
  return bytes;
}

/// Two blocks with the scales above.
std::vector<std::byte> twoOfCodebook(DType dtype) {
  const int64_t size = formatOf(dtype).blockBytes;
  auto bytes = countedBytes(2 * size);
  const int place = dtype == DType::TQ1_0 ? 52 : dtype == DType::TQ2_0 ? 64 : 0;
  for (int k = 0; k < 2; ++k) {
    std::byte *block = bytes.data() + k * size;
    if (dtype != DType::IQ1_M) {
      std::memcpy(block + place, &scales[k], 2);
      continue;
    }
    // Its bits are the highest four of each of four words.
    for (int word = 0; word < 4; ++word)
      block[49 + 2 * word] =
          (block[49 + 2 * word] & std::byte{0x0f}) |
          static_cast<std::byte>((scales[k] >> 4 * word & 15) << 4);
  }
  return bytes;
}

/// Two blocks, each with a scale and a minimum.
std::vector<std::byte> twoBlocks(const BlockFormat &format) {
  auto bytes = countedBytes(2 * int64_t{format.bytes});
  // -0.25 and 3 as float16; for MXFP4 exponents.
  constexpr uint16_t minimums[] = {0xb400, 0x4200};
  constexpr std::byte exponents[] = {std::byte{126}, std::byte{3}};
  for (int k = 0; k < 2; ++k) {
    std::byte *block = bytes.data() + k * format.bytes;
    if (format.isExponent)
      block[format.scaleAt] = exponents[k];
    else if (hasHalfScale(format))
      std::memcpy(block + format.scaleAt, &scales[k], 2);
    if (hasMinimum(format))
      std::memcpy(block + format.minimumAt, &minimums[k], 2);
  }
  return bytes;
}

void expectNumbers(const Known &expected, const Format &stored,
                   const std::vector<std::byte> &bytes) {
  const int64_t n = stored.blockNumbers;
  std::vector<double> numbers(2 * n);
  stored.read(bytes.data(), 0, 1, numbers);
  const int64_t places[] = {0, 1, n / 2, n - 1, n, 2 * n - 1};
  for (int k = 0; k < 6; ++k)
    EXPECT_EQ(numbers[places[k]], expected.numbers[k])
        << stored.name << ", number " << places[k];
  uint32_t sum = 0;
  for (double number : numbers)
    sum = 31 * sum + std::bit_cast<uint32_t>(static_cast<float>(number));
  EXPECT_EQ(sum, expected.sum) << stored.name;
}

TEST(BlockFormat, BitsAreNumbers) {
  size_t count = 0;
  // After the formats of files comes int8_row, which has the codes of one of
  // them.
  for (const BlockFormat &format : blockFormats().first<std::size(known)>()) {
    const Known &expected = known[count++];
    const Format &stored = formatOf(expected.dtype);
    ASSERT_EQ(stored.name, format.name);
    EXPECT_EQ(stored.blockNumbers, format.numbers);
    EXPECT_EQ(stored.blockBytes, format.bytes);
    expectNumbers(expected, stored, twoBlocks(format));
  }
  EXPECT_EQ(count, std::size(known));
}

TEST(BlockFormat, CodesOfCodebooksAreNumbers) {
  for (const Known &expected : inCodebooks)
    expectNumbers(expected, formatOf(expected.dtype),
                  twoOfCodebook(expected.dtype));
}

// All 256 scales of NVFP4, compared with the bits of an 8-bit float.
TEST(BlockFormat, SmallFloatsAreScales) {
  for (int bits = 0; bits < 256; ++bits) {
    std::byte block[36] = {};
    block[0] = static_cast<std::byte>(bits);
    block[4] = std::byte{2}; // code 2 means 2
    const int exponent = bits >> 3 & 15, fraction = bits & 7;
    const double scale = exponent == 0
                             ? std::ldexp(fraction, -10)
                             : std::ldexp(1 + fraction / 8.0, exponent - 8);
    double number;
    formatOf(DType::NVFP4).read(block, 0, 1, {&number, 1});
    EXPECT_EQ(number, bits == 0x7f ? 0 : 2 * scale) << bits;
  }
}

TEST(BlockFormat, UnknownNamesAreRefused) {
  EXPECT_THROW((void)formatNamed("q9_9"), std::invalid_argument);
  for (int dtype = 0; dtype < dtypeCount; ++dtype) {
    const Format &format = formatOf(static_cast<DType>(dtype));
    EXPECT_EQ(formatNamed(format.name).name, format.name);
  }
}

TEST(BlockFormat, AnyNumbersOfATensorCanBeRead) {
  std::vector<Known> all(std::begin(known), std::end(known));
  all.insert(all.end(), std::begin(inCodebooks), std::end(inCodebooks));
  for (const Known &each : all) {
    const Format &stored = formatOf(each.dtype);
    const BlockFormat *blocks = findBlockFormat(stored.name);
    auto bytes = blocks ? twoBlocks(*blocks) : twoOfCodebook(each.dtype);
    std::vector<double> numbers(2 * stored.blockNumbers), some(9);
    stored.read(bytes.data(), 0, 1, numbers);
    stored.read(bytes.data(), 3, 7, some);
    for (size_t k = 0; k < some.size(); ++k)
      EXPECT_EQ(some[k], numbers[3 + 7 * k]) << stored.name;
  }
}

TEST(BlockFormat, ScalesThatAreNoNumbersAreFound) {
  for (const BlockFormat &format : blockFormats().first<std::size(known)>()) {
    auto bytes = twoBlocks(format);
    EXPECT_TRUE(hasFiniteScales(format, bytes.data())) << format.name;
    for (int place :
         {hasHalfScale(format) ? format.scaleAt : -1, format.minimumAt})
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
