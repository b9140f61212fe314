// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Readers of single elements in the codebook formats of llama.cpp (GGUF files).
// Every format has blocks of 256 elements, so one reader template suffices. In
// the functions for formats, `i` is the number of an element in its block;
// offsets are in bytes.

#include "compiler/checkpoint/CodebookFormats.h"

#include "compiler/checkpoint/Codebooks.h"

#include <array>
#include <bit>
#include <cstring>
#include <iterator>

namespace transfold::checkpoint {

namespace {

/// Elements in a block of any of these formats.
constexpr int blockNumbers = 256;

/// The bytes of a block, which need not be aligned.
class Block {
public:
  explicit Block(const std::byte *bytes) : bytes(bytes) {}

  int byte(int at) const { return std::to_integer<int>(bytes[at]); }
  /// `count` bits of a byte, from bit `shift` on.
  int bits(int at, int shift, int count) const {
    return byte(at) >> shift & ((1 << count) - 1);
  }
  /// Two bytes as a little-endian integer.
  int half(int at) const { return byte(at) | byte(at + 1) << 8; }
  uint32_t word(int at) const {
    uint32_t own;
    std::memcpy(&own, bytes + at, sizeof own);
    return own;
  }
  /// The float16 at `at`.
  float scale(int at) const {
    return static_cast<float>(
        std::bit_cast<_Float16>(static_cast<uint16_t>(half(at))));
  }

private:
  const std::byte *bytes;
};

//===----------------------------------------------------------------------===//
// Two and three bits: magnitudes from a codebook, with separate signs
//===----------------------------------------------------------------------===//

/// The magnitude of element `number`, 0 to 7, of a codebook entry; code 3 does
/// not occur.
float ofTwoBits(uint16_t entry, int number) {
  constexpr float sizes[] = {8, 25, 43, 0};
  return sizes[entry >> 2 * number & 3];
}

/// The magnitude of element `number`, 0 to 3, of an entry of IQ3_XXS (`isEven`)
/// or of IQ3_S.
float ofThreeBits(uint16_t entry, int number, bool isEven) {
  const int code = entry >> 3 * number & 7;
  if (!isEven)
    return static_cast<float>(2 * code + 1);
  return code == 7 ? 62.0f : static_cast<float>(8 * code + 4);
}

/// Negates `number` if bit `place` of `signs` is set.
float withSign(float number, int signs, int place) {
  return signs >> place & 1 ? -number : number;
}

/// The signs of eight elements from seven bits: an even number of them is
/// negative.
int signsOf(uint32_t seven) {
  return static_cast<int>(seven) | (std::popcount(seven) & 1) << 7;
}

// Layout: d; for each 32 elements, four indices and a 32-bit word of 4 times 7
// signs and of 4 bits of a scale.
float iq2Xxs(const Block &block, int i) {
  const int part = 2 + i / 32 * 8, eight = i / 8 % 4;
  const uint32_t word = block.word(part + 4);
  const float scale =
      block.scale(0) * (0.5f + static_cast<float>(word >> 28)) * 0.25f;
  return withSign(
      scale * ofTwoBits(codebooks::iq2Xxs[block.byte(part + eight)], i % 8),
      signsOf(word >> 7 * eight & 127), i % 8);
}

/// The scale of 16 elements, from d and 4 bits of the bytes from `at` on.
float scaleOf16(const Block &block, int at, int i) {
  const int own = block.bits(at + i / 32, i / 16 % 2 * 4, 4);
  return block.scale(0) * (0.5f + static_cast<float>(own)) * 0.25f;
}

// Layout: d; for each 8 elements, an index of 9 bits and 7 signs; scales of 4
// bits.
float iq2Xs(const Block &block, int i) {
  const auto code = static_cast<uint32_t>(block.half(2 + i / 8 * 2));
  return withSign(scaleOf16(block, 66, i) *
                      ofTwoBits(codebooks::iq2Xs[code & 511], i % 8),
                  signsOf(code >> 9), i % 8);
}

// Layout: d; lower bytes of indices; signs; higher bits of indices; scales.
float iq2S(const Block &block, int i) {
  const int eight = i / 8, index = block.byte(2 + eight) |
                                   block.bits(66 + i / 32, eight % 4 * 2, 2)
                                       << 8;
  return withSign(scaleOf16(block, 74, i) *
                      ofTwoBits(codebooks::iq2S[index], i % 8),
                  block.byte(34 + eight), i % 8);
}

// Layout: d; an index for each 4 elements; words of signs and scales, as in
// IQ2_XXS.
float iq3Xxs(const Block &block, int i) {
  const uint32_t word = block.word(66 + i / 32 * 4);
  const float scale =
      block.scale(0) * (0.5f + static_cast<float>(word >> 28)) * 0.5f;
  return withSign(scale * ofThreeBits(codebooks::iq3Xxs[block.byte(2 + i / 4)],
                                      i % 4,
                                      /*isEven=*/true),
                  signsOf(word >> 7 * (i / 8 % 4) & 127), i % 8);
}

// Layout: d; lower bytes of indices; their ninth bits; signs; scales of 4 bits.
float iq3S(const Block &block, int i) {
  const int four = i / 4, index = block.byte(2 + four) |
                                  block.bits(66 + i / 32, four % 8, 1) << 8;
  const int scale = block.bits(106 + i / 64, i / 32 % 2 * 4, 4);
  return withSign(block.scale(0) * static_cast<float>(1 + 2 * scale) *
                      ofThreeBits(codebooks::iq3S[index], i % 4,
                                  /*isEven=*/false),
                  block.byte(74 + i / 8), i % 8);
}

//===----------------------------------------------------------------------===//
// Below two bits: -1, 0 or 1
//===----------------------------------------------------------------------===//

/// The value of an element of an entry, shifted up or down by an eighth.
float moved(int index, int number, bool isDown) {
  const int code = codebooks::iq1[index] >> 2 * number & 3;
  return static_cast<float>(code - 1) + (isDown ? -0.125f : 0.125f);
}

// Layout: d; lower bytes of indices; for each 32 elements, 4 times 3 higher
// bits, 3 bits of a scale, and the direction of the shift.
float iq1S(const Block &block, int i) {
  const int eight = i / 8, word = block.half(34 + i / 32 * 2);
  const int index = block.byte(2 + eight) | (word >> eight % 4 * 3 & 7) << 8;
  return block.scale(0) * static_cast<float>(2 * (word >> 12 & 7) + 1) *
         moved(index, i % 8, word & 0x8000);
}

// Layout: lower bytes of indices; for each 8 elements, 3 higher bits and the
// direction; for each 64 elements, 4 times 3 bits of scales, and 4 bits of d.
float iq1M(const Block &block, int i) {
  constexpr int scales = 48;
  int bits = 0;
  for (int k = 0; k < 4; ++k)
    bits |= block.half(scales + 2 * k) >> 12 << 4 * k;
  const auto d =
      static_cast<float>(std::bit_cast<_Float16>(static_cast<uint16_t>(bits)));
  const int eight = i / 8, more = block.bits(32 + i / 16, eight % 2 * 4, 4),
            scale = block.half(scales + i / 64 * 2) >> i / 16 % 4 * 3 & 7;
  return d * static_cast<float>(2 * scale + 1) *
         moved(block.byte(eight) | (more & 7) << 8, i % 8, more & 8);
}

// Five elements share a byte, as base-3 digits of a fraction: first in 32
// bytes, then in 16; then four each in 4 bytes; then d.
float tq1(const Block &block, int i) {
  constexpr int powers[] = {1, 3, 9, 27, 81};
  const int begin = i < 160   ? 0
                    : i < 240 ? 160
                              : 240,
            bytes = i < 160   ? 32
                    : i < 240 ? 16
                              : 4,
            from = begin / 5;
  const int power = powers[(i - begin) / bytes],
            rest = block.byte(from + (i - begin) % bytes) * power & 255;
  return block.scale(52) * static_cast<float>((rest * 3 >> 8) - 1);
}

// Layout: codes of two bits in the order of Q2_K; then d.
float tq2(const Block &block, int i) {
  const int code = block.bits(i / 128 * 32 + i % 32, i / 32 % 4 * 2, 2);
  return block.scale(64) * static_cast<float>(code - 1);
}

//===----------------------------------------------------------------------===//
// Formats
//===----------------------------------------------------------------------===//

/// The reader of a format (Format::read), whose blocks have `size` bytes.
template <float (*numberOf)(const Block &, int), int size>
void readNumbers(const std::byte *bytes, int64_t first, int64_t step,
                 std::span<double> to) {
  for (double &number : to) {
    number = numberOf(Block(bytes + first / blockNumbers * size),
                      static_cast<int>(first % blockNumbers));
    first += step;
  }
}

/// The record of a format.
template <float (*numberOf)(const Block &, int), int size>
constexpr Format format(std::string_view name) {
  return {name, blockNumbers, size, true, readNumbers<numberOf, size>};
}

/// A format with its type, so that the order can be checked at compile time.
struct CodebookFormat {
  DType dtype;
  Format format;
};
constexpr CodebookFormat formats[] = {
    {DType::IQ2_XXS, format<iq2Xxs, 66>("iq2_xxs")},
    {DType::IQ2_XS, format<iq2Xs, 74>("iq2_xs")},
    {DType::IQ2_S, format<iq2S, 82>("iq2_s")},
    {DType::IQ3_XXS, format<iq3Xxs, 98>("iq3_xxs")},
    {DType::IQ3_S, format<iq3S, 110>("iq3_s")},
    {DType::IQ1_S, format<iq1S, 50>("iq1_s")},
    {DType::IQ1_M, format<iq1M, 56>("iq1_m")},
    {DType::TQ1_0, format<tq1, 54>("tq1_0")},
    {DType::TQ2_0, format<tq2, 66>("tq2_0")}};

/// The types of this file are the last ones of DType.
constexpr size_t placeOf(DType dtype) {
  return static_cast<size_t>(dtype) - static_cast<size_t>(DType::IQ2_XXS);
}
constexpr bool areCodebooksInOrder() {
  for (size_t k = 0; k < std::size(formats); ++k)
    if (placeOf(formats[k].dtype) != k)
      return false;
  return std::size(formats) == dtypeCount - static_cast<int>(DType::IQ2_XXS);
}
static_assert(areCodebooksInOrder(), "a record stands where its DType does");

} // namespace

const Format &codebookFormat(DType dtype) {
  return formats[placeOf(dtype)].format;
}

} // namespace transfold::checkpoint
