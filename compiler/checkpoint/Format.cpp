// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The records of all formats. Formats with a C++ type for each element are read
// by one template; those in blocks by BlockReader, with which kernels read
// them, too.

#include "compiler/checkpoint/Format.h"

#include "base/numeric/BlockFormat.h"
#include "compiler/checkpoint/CodebookFormats.h"

#include <bit>
#include <cmath>
#include <cstring>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace transfold::checkpoint {

/// A 16-bit number that is the upper half of a float.
struct BFloat16 {
  uint16_t bits;
  explicit operator double() const {
    return std::bit_cast<float>(uint32_t{bits} << 16);
  }
};

/// Reads elements that have a C++ type each.
template <typename T>
static void readEach(const std::byte *bytes, int64_t first, int64_t step,
                     std::span<double> to) {
  const std::byte *from = bytes + first * int64_t{sizeof(T)};
  for (double &number : to) {
    T value;
    std::memcpy(&value, from, sizeof(T)); // it may not be aligned
    number = static_cast<double>(value);
    from += step * int64_t{sizeof(T)};
  }
}

template <typename T>
static constexpr Format each(std::string_view name, bool isReal) {
  return {name, 1, sizeof(T), isReal, readEach<T>};
}

/// A block of a file, with the operations that BlockReader needs.
struct FileBlock {
  using Index = int;
  using Integer = int;
  using Word = uint32_t;
  using Real = float;

  const std::byte *bytes;

  int bits(int byte, int shift, int count) const {
    return (std::to_integer<int>(bytes[byte]) >> shift) & ((1 << count) - 1);
  }
  uint32_t fourOf(int byte, int shift, int count) const {
    uint32_t word = 0;
    for (int i = 0; i < codesOfWord; ++i)
      word |= static_cast<uint32_t>(bits(byte + i, shift, count)) << (8 * i);
    return word;
  }
  uint32_t fourOfByte(int byte, int shift) const {
    uint32_t word = 0;
    for (int i = 0; i < codesOfWord; ++i)
      word |= static_cast<uint32_t>(bits(byte, shift + i, 1)) << (8 * i);
    return word;
  }
  int byteOf(uint32_t word, int number) const {
    return static_cast<int>(word >> (8 * number) & 0xff);
  }
  int signedBits(int byte) const { return static_cast<int8_t>(bytes[byte]); }
  float half(int byte) const {
    _Float16 value;
    std::memcpy(&value, bytes + byte, sizeof value);
    return static_cast<float>(value);
  }
  float single(int byte) const {
    float value;
    std::memcpy(&value, bytes + byte, sizeof value);
    return value;
  }
  float miniFloat(int byte) const {
    const int own = bits(byte, 0, 8), fraction = own & 7,
              exponent = own >> 3 & 15;
    if (own == 0x7f) // NaN, which llama.cpp reads as 0
      return 0;
    return exponent == 0
               ? std::ldexp(static_cast<float>(fraction), -10)
               : std::ldexp(static_cast<float>(8 + fraction), exponent - 11);
  }
  float powerOfTwo(int byte) const {
    return std::ldexp(1.0f, std::to_integer<int>(bytes[byte]) - 128);
  }
  int table(const std::array<int8_t, 16> &values, int code) const {
    return values[code];
  }
  float real(int value) const { return static_cast<float>(value); }
  int choose(bool condition, int a, int b) const { return condition ? a : b; }
};

/// The reader of a block format (Format::read). The format is a template
/// parameter because `read` is a plain function pointer.
template <const BlockFormat &(*get)()>
static void readFromBlocks(const std::byte *bytes, int64_t first, int64_t step,
                           std::span<double> to) {
  const BlockFormat &format = get();
  const int group = format.groupNumbers();
  for (double &number : to) {
    FileBlock block{bytes + first / format.numbers * format.bytes};
    auto index = static_cast<int>(first % format.numbers);
    number = BlockReader(format, block)
                 .numberOf({index / group, index % group, group});
    first += step;
  }
}

/// The record of a block format, as a function without state for its reader.
template <size_t index> static const BlockFormat &blockFormat() {
  return blockFormats()[index];
}

/// The records of all block formats, in the order of blockFormats().
template <size_t... index>
static std::vector<Format> formatsOfBlocks(std::index_sequence<index...>) {
  auto format = [](const BlockFormat &own, auto read) {
    return Format{own.name, own.numbers, own.bytes, true, read};
  };
  return {format(blockFormats()[index], readFromBlocks<blockFormat<index>>)...};
}

namespace {
/// A block format with its type, so that the order can be checked at compile
/// time.
struct NamedBlocks {
  DType dtype;
  std::string_view name;
};
constexpr NamedBlocks inBlocks[] = {
    {DType::Q4_0, "q4_0"},       {DType::Q4_1, "q4_1"},
    {DType::Q5_0, "q5_0"},       {DType::Q5_1, "q5_1"},
    {DType::Q8_0, "q8_0"},       {DType::IQ4_NL, "iq4_nl"},
    {DType::IQ4_XS, "iq4_xs"},   {DType::MXFP4, "mxfp4"},
    {DType::NVFP4, "nvfp4"},     {DType::Q2_K, "q2_k"},
    {DType::Q3_K, "q3_k"},       {DType::Q4_K, "q4_k"},
    {DType::Q5_K, "q5_k"},       {DType::Q6_K, "q6_k"},
    {DType::Int8_64, "int8_64"}, {DType::Int8_Row, "int8_row"}};

/// Int8_Row is the last in blockFormats(), and is read differently.
constexpr bool areInOrder() {
  for (size_t k = 0; k < blockFormatCount; ++k)
    if (inBlocks[k].name != blockFormatNames[k] ||
        static_cast<size_t>(inBlocks[k].dtype) !=
            static_cast<size_t>(DType::Q4_0) + k)
      return false;
  return std::size(inBlocks) == blockFormatCount;
}
static_assert(areInOrder(), "DType has the order of blockFormats()");
} // namespace

/// The record of a type from Q4_0 on, in the order of blockFormats().
static const Format &formatOfBlocks(DType dtype) {
  static const std::vector<Format> all =
      formatsOfBlocks(std::make_index_sequence<blockFormatCount>());
  return all[static_cast<size_t>(dtype) - static_cast<size_t>(DType::Q4_0)];
}

const Format &formatOf(DType dtype) {
  static constexpr Format f64 = each<double>("f64", true),
                          f32 = each<float>("f32", true),
                          f16 = each<_Float16>("f16", true),
                          bf16 = each<BFloat16>("bf16", true),
                          i64 = each<int64_t>("i64", false),
                          i32 = each<int32_t>("i32", false),
                          i16 = each<int16_t>("i16", false),
                          i8 = each<int8_t>("i8", false),
                          u8 = each<uint8_t>("u8", false),
                          boolean = each<uint8_t>("bool", false),
                          int8Row = each<int8_t>("int8_row", true),
                          int8Scaled = each<int8_t>("int8_scaled", true),
                          int16Scaled = each<int16_t>("int16_scaled", true);
  switch (dtype) {
  case DType::F64:
    return f64;
  case DType::F32:
    return f32;
  case DType::F16:
    return f16;
  case DType::BF16:
    return bf16;
  case DType::I64:
    return i64;
  case DType::I32:
    return i32;
  case DType::I16:
    return i16;
  case DType::I8:
    return i8;
  case DType::U8:
    return u8;
  case DType::Bool:
    return boolean;
  case DType::Int8_Row:
    return int8Row;
  case DType::Int8_Scaled:
    return int8Scaled;
  case DType::Int16_Scaled:
    return int16Scaled;
  default:
    return dtype >= DType::IQ2_XXS ? codebookFormat(dtype)
                                   : formatOfBlocks(dtype);
  }
}

const Format &formatNamed(std::string_view name) {
  for (int dtype = 0; dtype < dtypeCount; ++dtype)
    if (const Format &format = formatOf(static_cast<DType>(dtype));
        format.name == name)
      return format;
  throw std::invalid_argument("there is no number format '" +
                              std::string(name) + "'");
}

} // namespace transfold::checkpoint
