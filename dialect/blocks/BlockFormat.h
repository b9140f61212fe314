// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Numbers in blocks, as GGUF files have them (llama.cpp's ggml-common.h), and
// in blocks of 64 codes of 8 bits, which programs alone have, with a scale of
// their own or with that of the whole row that CTranslate2 has:
//
//   number = scale · (code - bias) + minimum          or  scale · table[code]
//
// A code has 2 to 8 bits. Scale and minimum are of a block of 32 numbers; or of
// a part of a block of 256, then each is a float16 of the block times a small
// integer of the part.
//
// Of NVFP4 each part has a scale of its own, a float of 8 bits.
//
// Exact: with a float16 (11 bits), an integer of a part (7 bits at most) and a
// code (6 bits) no product has more than the 24 bits of a float. The only
// rounding is that of the sum with the minimum, once, so a number is the same
// float32 whether or not that sum is fused with the product before it. Where
// the scale is a float32, its product with the code is rounded, once, and there
// is no sum.
//
// One record for each format says where all of this lies. `numberOf` reads it
// for whatever a block is: bytes of a file, or words in a kernel's registers.

#ifndef TRANSFOLD_DIALECT_BLOCKS_BLOCKFORMAT_H
#define TRANSFOLD_DIALECT_BLOCKS_BLOCKFORMAT_H

#include <array>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <span>
#include <string_view>

namespace transfold {

/// A small integer of each number, or of each part: `bits` of them, in bytes
/// from `offset` on. The first `stride` of them lie in the lowest bits of the
/// bytes, one behind the other; the next in the bits above; and so on until the
/// bytes are full.
struct Field {
  int bits = 0; // 0: there is none
  int offset = 0;
  int stride = 1;
  int skipped = 0; // so many integers of another field come before
  bool isThere() const { return bits != 0; }
};

/// How the scales and minimums of parts lie.
enum class PartScales {
  None,       // the block has one scale
  Fields,     // in fields, as codes do
  MiniFloats, // floats of 8 bits without a sign; the block has no scale
  Interlocked // eight pairs of 6 bits in 12 bytes: see `interlockedOf`
};

/// Columns of a panel of blocks.
constexpr int blockPanelWidth = 32;
/// Codes are read so many at a time, as a word's bytes.
constexpr int codesOfWord = 4;
/// Bytes of a word, a place of a kernel's buffer.
constexpr int wordBytes = 4;

struct BlockFormat {
  std::string_view name;
  int numbers, bytes; // of a block
  /// The bits of a code: lower ones, and those above.
  Field low = {}, high = {};
  int bias = 0;
  bool isSigned = false;                         // codes are two's complement
  const std::array<int8_t, 16> *table = nullptr; // what codes mean
  int scaleAt = 0;         // byte of the scale, a float16, …
  bool isExponent = false; // … or 2^(byte - 128)
  bool isSingle = false;   // … or a float32, which fills a word
  int minimumAt = -1; // byte of the float16; -1: none. Of parts, subtracted
  PartScales parts = PartScales::None;
  int partNumbers = 0; // of a part
  Field scaleLow = {}, scaleHigh = {}, minimum = {};
  int scaleBias = 0;
  bool areScalesSigned = false;
  /// Bytes that fill no word of 4, at the beginning or the end of a block:
  /// kernels have the others as words
  /// (compiler/kernels/algorithm/StoredBlocks.h).
  int oddAt = 0, oddBytes = 0;

  /// How many numbers have one scale and minimum: 16, 32 or 64. Kernels sum
  /// such a group before they scale it: Σ_g scale_g Σ_k code_k x_k.
  int groupNumbers() const {
    return parts == PartScales::None ? numbers : partNumbers;
  }
  int groups() const { return numbers / groupNumbers(); }
};

inline bool hasMinimum(const BlockFormat &format) {
  return format.minimumAt >= 0;
}
inline bool isMinimumSubtracted(const BlockFormat &format) {
  return format.parts != PartScales::None;
}

/// Whether a block has a float16 as its scale.
inline bool hasHalfScale(const BlockFormat &format) {
  return !format.isExponent && !format.isSingle &&
         format.parts != PartScales::MiniFloats;
}

/// All formats, in the order of checkpoint::DType (Format.cpp asserts it).
constexpr std::string_view blockFormatNames[] = {
    "q4_0",  "q4_1", "q5_0", "q5_1", "q8_0", "iq4_nl", "iq4_xs",  "mxfp4",
    "nvfp4", "q2_k", "q3_k", "q4_k", "q5_k", "q6_k",   "int8_64", "int8_row"};
constexpr size_t blockFormatCount = std::size(blockFormatNames);
std::span<const BlockFormat, blockFormatCount> blockFormats();
/// The one of that name, "q4_k"; null where it is no format of blocks.
const BlockFormat *findBlockFormat(std::string_view name);

/// Whether encodeBlock writes the format.
bool isWritten(const BlockFormat &format);
/// The block that has numbers near these, `format.numbers` of them which are
/// finite, at `to`: EncodeBlock.cpp. `weights` say how much the square of each
/// one's error counts; without any all count alike.
void encodeBlock(const BlockFormat &format, std::span<const float> numbers,
                 std::span<const float> weights, std::byte *to);

/// What a block with these numbers loses because its scale and minimum are
/// float16s: the square of a number's error, on the average. Infinite where
/// they would be cut off at the largest float16.
double squareOfScaleError(const BlockFormat &format,
                          std::span<const float> numbers);

/// Whether scale and minimum of a block are numbers. Kernels read float16s that
/// are infinite or NaN as large ones
/// (compiler/kernels/algorithm/StoredBlocks.cpp).
bool hasFiniteScales(const BlockFormat &format, const std::byte *block);

/// Number `group` · `size` + `number` of a block of groups; in a kernel
/// `number` % 4 is known once loops are unrolled, the others may not be.
template <typename Index> struct BlockIndex {
  Index group, number;
  int size;

  Index over(int divisor) const {
    if (divisor >= size)
      return group / (divisor / size);
    return group * (size / divisor) + number / divisor;
  }
  Index modulo(int divisor) const {
    if (divisor >= size)
      return group % (divisor / size) * size + number;
    return number % divisor;
  }
  /// The first of the numbers whose codes are read at once.
  BlockIndex firstOfWord() const {
    return {group, number / codesOfWord * codesOfWord, size};
  }
};

/// A block is a class with
///   Index, Integer, Word, Real       types
///   fourOf(byte, shift, count)       a Word: these bits of four bytes, each
///                                    in a byte of its own, the lowest first
///   fourOfByte(byte, shift)          a Word: four bits of a byte, likewise
///   byteOf(word, number)             an Integer: one of a word's bytes
///   bits(byte, shift, count)         an Integer: bits of a byte
///   signedBits(byte)                 an Integer: a byte in two's complement
///   half(byte), powerOfTwo(byte)     a Real: a float16; 2^(byte - 128)
///   single(byte)                     a Real: a float32
///   miniFloat(byte)                  a Real: half of a float of 8 bits, with
///                                    four bits of exponent and no sign
///   table(values, code)              an Integer
///   real(Integer)                    a Real
///   choose(condition, a, b)          an Integer: a where the condition holds
/// `Index` and `Word` have the operations of an int.
template <typename Block> class BlockReader {
public:
  using Index = typename Block::Index;
  using Integer = typename Block::Integer;
  using Word = typename Block::Word;
  using Real = typename Block::Real;

  BlockReader(const BlockFormat &format, const Block &block)
      : format(format), block(block) {}

  Real numberOf(BlockIndex<Index> index) const {
    Integer code = codeOf(index);
    Real product = block.real(Integer(code - format.bias)) *
                   scaleOfGroup(index, scaleOfBlock());
    if (!hasMinimum(format))
      return product;
    Real minimum = minimumOfGroup(index, minimumOfBlock());
    return isMinimumSubtracted(format) ? Real(product - minimum)
                                       : Real(product + minimum);
  }

  /// What numberOf is made of: the code without its bias, and the scale and
  /// minimum of a group from those of the block.
  Integer codeOf(BlockIndex<Index> index) const {
    if (format.isSigned)
      return block.signedBits(format.low.offset + index.over(1));
    Integer code =
        block.byteOf(codesOf(index), Index(index.number % codesOfWord));
    return format.table ? block.table(*format.table, code) : code;
  }
  /// The codes of the four numbers that this one is among, as bytes. Without
  /// the meaning of a table.
  Word codesOf(BlockIndex<Index> index) const {
    index = index.firstOfWord();
    Word codes = wordOf(format.low, index);
    if (format.high.isThere())
      codes = codes | (wordOf(format.high, index) << format.low.bits);
    return codes;
  }
  Real scaleOfBlock() const {
    if (format.parts == PartScales::MiniFloats)
      return block.real(Integer(1));
    return format.isExponent ? block.powerOfTwo(format.scaleAt)
           : format.isSingle ? block.single(format.scaleAt)
                             : block.half(format.scaleAt);
  }
  Real minimumOfBlock() const { return block.half(format.minimumAt); }
  Real scaleOfGroup(BlockIndex<Index> index, const Real &ofBlock) const {
    if (format.parts == PartScales::None)
      return ofBlock;
    if (format.parts == PartScales::MiniFloats)
      return block.miniFloat(format.scaleLow.offset +
                             index.over(format.partNumbers));
    return ofBlock * block.real(scaleOf(index.over(format.partNumbers)));
  }
  Real minimumOfGroup(BlockIndex<Index> index, const Real &ofBlock) const {
    if (format.parts == PartScales::None)
      return ofBlock;
    return ofBlock * block.real(minimumOf(index.over(format.partNumbers)));
  }

private:
  const BlockFormat &format;
  const Block &block;

  /// Four integers of a field lie in four bytes, or in one.
  Word wordOf(const Field &field, BlockIndex<Index> index) const {
    int perByte = 8 / field.bits, round = field.stride * perByte;
    Index byte = field.offset + index.over(round) * field.stride;
    if (field.stride < codesOfWord)
      return block.fourOfByte(byte, index.over(1) % 8);
    return block.fourOf(byte + index.modulo(field.stride),
                        index.over(field.stride) % perByte * field.bits,
                        field.bits);
  }

  Integer bitsOf(const Field &field, Index part) const {
    int perByte = 8 / field.bits, round = field.stride * perByte;
    if (field.skipped)
      part = part + field.skipped;
    Index byte =
        field.offset + part / round * field.stride + part % field.stride;
    return block.bits(byte, part % round / field.stride * field.bits,
                      field.bits);
  }

  Integer scaleOf(Index part) const {
    if (format.parts == PartScales::Interlocked)
      return interlockedOf(part, 0);
    if (format.areScalesSigned)
      return block.signedBits(format.scaleLow.offset + part);
    Integer scale = bitsOf(format.scaleLow, part);
    if (format.scaleHigh.isThere())
      scale = scale | (bitsOf(format.scaleHigh, part) << format.scaleLow.bits);
    return scale - format.scaleBias;
  }

  Integer minimumOf(Index part) const {
    return format.parts == PartScales::Interlocked
               ? interlockedOf(part, 4)
               : bitsOf(format.minimum, part);
  }

  /// Of parts 0 to 3 the scales are the lower 6 bits of bytes 0 to 3 and the
  /// minimums those of bytes 4 to 7. Of parts 4 to 7 the lower 4 bits are the
  /// two halves of bytes 8 to 11, and the 2 above lie over the 6 of the others.
  Integer interlockedOf(Index part, int begin) const {
    Index own = format.scaleLow.offset + part % 4;
    Integer first = block.bits(own + begin, Index(0), 6);
    Integer second = block.bits(own + 8, Index(begin), 4) |
                     (block.bits(own + begin, Index(6), 2) << 4);
    return block.choose(part < 4, first, second);
  }
};

} // namespace transfold

#endif // TRANSFOLD_DIALECT_BLOCKS_BLOCKFORMAT_H
