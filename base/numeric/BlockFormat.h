// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Quantized elements in blocks, as GGUF files have them (llama.cpp's
// ggml-common.h), and in blocks of 64 codes of 8 bits, which only compiled
// programs have, either with a scale for each block or with the scale of the
// whole row that CTranslate2 has:
//
//   value = scale · (code - bias) + minimum          or  scale · table[code]
//
// A code has 2 to 8 bits. Scale and minimum belong to a block of 32 elements,
// or to a part of a block of 256; in the latter case each is a float16 of the
// block times a small integer of the part. In NVFP4 each part has its own
// scale, a float of 8 bits.
//
// Exactness: with a float16 (11 bits), an integer of a part (at most 7 bits)
// and a code (6 bits), no product has more than the 24 bits of a float. The
// only rounding is that of the sum with the minimum, once, so the value is the
// same float32 whether or not that sum is fused with the product before it
// (FMA). Where the scale is a float32, its product with the code is rounded,
// once, and there is no sum.
//
// One record per format states where each field is. `numberOf` decodes a block
// in any representation: bytes of a file, or words in a kernel's registers.

#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <span>
#include <string_view>

namespace transfold {

/// A bit field with one small integer of `bits` bits for each element, or for
/// each part, in the bytes from `offset` on. The first `stride` integers are in
/// the lowest bits of consecutive bytes, the next `stride` integers in the bits
/// above, and so on until the bytes are full.
struct Field {
  int bits = 0; // 0: the field does not exist
  int offset = 0;
  int stride = 1;
  int skipped = 0; // count of the integers of another field that precede
  /// Whether the format has the field.
  bool isThere() const { return bits != 0; }
};

/// How the scales and minimums of parts are encoded.
enum class PartScales {
  None,       // the block has a single scale
  Fields,     // in bit fields, like codes
  MiniFloats, // unsigned floats of 8 bits; the block has no scale
  Interlocked // eight pairs of 6 bits in 12 bytes: see `interlockedOf`
};

/// The columns of a panel of blocks.
constexpr int blockPanelWidth = 32;
/// The count of codes that are read at a time, as the bytes of a word.
constexpr int codesOfWord = 4;
/// The bytes of a word, which is one place of a kernel's buffer.
constexpr int wordBytes = 4;

/// A block format: the positions of all fields of a block.
struct BlockFormat {
  std::string_view name;
  int numbers, bytes; // elements and bytes of a block
  /// The low bits of a code, and its high bits.
  Field low = {}, high = {};
  int bias = 0;
  bool isSigned = false;                         // two's complement codes
  const std::array<int8_t, 16> *table = nullptr; // the value of each code
  int scaleAt = 0;         // byte of the scale: a float16, …
  bool isExponent = false; // … or a byte that means 2^(byte - 128), …
  bool isSingle = false;   // … or a float32, which fills a word
  int minimumAt = -1;      // byte of the float16, or -1; of parts: subtracted
  PartScales parts = PartScales::None;
  int partNumbers = 0; // elements of a part
  Field scaleLow = {}, scaleHigh = {}, minimum = {};
  int scaleBias = 0;
  bool areScalesSigned = false;
  /// Bytes at the beginning or the end of a block that do not fill a word of 4:
  /// kernels read the other bytes as words
  /// (compiler/kernels/algorithm/numeric/StoredBlocks.h).
  int oddAt = 0, oddBytes = 0;

  /// The count of elements that share one scale and minimum: 16, 32 or 64.
  /// Kernels sum such a group before they scale it: Σ_g scale_g Σ_k code_k x_k.
  int groupNumbers() const {
    return parts == PartScales::None ? numbers : partNumbers;
  }
  /// The groups of a block.
  int groups() const { return numbers / groupNumbers(); }
};

/// Whether the format has a minimum.
inline bool hasMinimum(const BlockFormat &format) {
  return format.minimumAt >= 0;
}
/// Whether the minimum is subtracted rather than added.
inline bool isMinimumSubtracted(const BlockFormat &format) {
  return format.parts != PartScales::None;
}

/// Whether the scale of a block is a float16.
inline bool hasHalfScale(const BlockFormat &format) {
  return !format.isExponent && !format.isSingle &&
         format.parts != PartScales::MiniFloats;
}

/// The names of all formats, in the order of checkpoint::DType (asserted in
/// Format.cpp).
constexpr std::string_view blockFormatNames[] = {
    "q4_0",  "q4_1", "q5_0", "q5_1", "q8_0", "iq4_nl", "iq4_xs",  "mxfp4",
    "nvfp4", "q2_k", "q3_k", "q4_k", "q5_k", "q6_k",   "int8_64", "int8_row"};
/// The number of block formats, and the length of both arrays.
constexpr size_t blockFormatCount = std::size(blockFormatNames);
/// The records of all formats, in the order of their names.
std::span<const BlockFormat, blockFormatCount> blockFormats();
/// The format of that name, e.g. "q4_k"; null if it is not a block format.
const BlockFormat *findBlockFormat(std::string_view name);

/// Whether encodeBlock can write the format.
bool isWritten(const BlockFormat &format);
/// Encodes `format.numbers` finite values as one block at `to`
/// (EncodeBlock.cpp). `weights` are the weights of the squared error of each
/// value; if empty, all are equal.
void encodeBlock(const BlockFormat &format, std::span<const float> numbers,
                 std::span<const float> weights, std::byte *to);

/// The loss of a block with these values because its scale and minimum are
/// float16: the mean squared error of an element. Infinite if they would be
/// clamped to the largest float16.
double squareOfScaleError(const BlockFormat &format,
                          std::span<const float> numbers);

/// Whether the scale and minimum of a block are finite. Kernels would read an
/// infinite or NaN float16 as a large finite value
/// (compiler/kernels/algorithm/numeric/StoredBlocks.cpp).
bool hasFiniteScales(const BlockFormat &format, const std::byte *block);

/// Element `group` · `size` + `number` of a block that consists of groups; in a
/// kernel `number` % 4 is known once loops are unrolled, the rest may not be.
template <typename Index> struct BlockIndex {
  Index group, number;
  int size;

  /// The index divided by `divisor`.
  Index over(int divisor) const {
    if (divisor >= size)
      return group / (divisor / size);
    return group * (size / divisor) + number / divisor;
  }
  /// The index modulo `divisor`.
  Index modulo(int divisor) const {
    if (divisor >= size)
      return group % (divisor / size) * size + number;
    return number % divisor;
  }
  /// The first of the elements whose codes are read in the same word.
  BlockIndex firstOfWord() const {
    return {group, number / codesOfWord * codesOfWord, size};
  }
};

/// Decodes a block. `Block` is a class with
///   Index, Integer, Word, Real       types
///   fourOf(byte, shift, count)       a Word: these bits of four bytes, each
///                                    in a byte of its own, the lowest first
///   fourOfByte(byte, shift)          a Word: four bits of a byte, likewise
///   byteOf(word, number)             an Integer: one of a word's bytes
///   bits(byte, shift, count)         an Integer: bits of a byte
///   signedBits(byte)                 an Integer: a byte in two's complement
///   half(byte), powerOfTwo(byte)     a Real: a float16; 2^(byte - 128)
///   single(byte)                     a Real: a float32
///   miniFloat(byte)                  a Real: half of an unsigned float of 8
///                                    bits with four bits of exponent
///   table(values, code)              an Integer
///   real(Integer)                    a Real
///   choose(condition, a, b)          an Integer: condition ? a : b
/// `Index` and `Word` have the operators of an int.
template <typename Block> class BlockReader {
public:
  using Index = typename Block::Index;
  using Integer = typename Block::Integer;
  using Word = typename Block::Word;
  using Real = typename Block::Real;

  BlockReader(const BlockFormat &format, const Block &block)
      : format(format), block(block) {}

  /// The value of an element.
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

  /// The components of numberOf: the code before the bias is subtracted, and
  /// the scale and minimum of a group, computed from those of the block.
  Integer codeOf(BlockIndex<Index> index) const {
    if (format.isSigned)
      return block.signedBits(format.low.offset + index.over(1));
    Integer code =
        block.byteOf(codesOf(index), Index(index.number % codesOfWord));
    return format.table ? block.table(*format.table, code) : code;
  }
  /// The codes of the aligned four elements that contain this one, as bytes,
  /// before the table lookup.
  Word codesOf(BlockIndex<Index> index) const {
    index = index.firstOfWord();
    Word codes = wordOf(format.low, index);
    if (format.high.isThere())
      codes = codes | (wordOf(format.high, index) << format.low.bits);
    return codes;
  }
  /// The scale of the whole block, by which the scales of parts are multiplied;
  /// 1 where the block has none of its own (NVFP4).
  Real scaleOfBlock() const {
    if (format.parts == PartScales::MiniFloats)
      return block.real(Integer(1));
    return format.isExponent ? block.powerOfTwo(format.scaleAt)
           : format.isSingle ? block.single(format.scaleAt)
                             : block.half(format.scaleAt);
  }
  /// The float16 minimum of the whole block; only if hasMinimum(format).
  Real minimumOfBlock() const { return block.half(format.minimumAt); }
  /// The scale of the group that contains the element: that of the block where
  /// it has only one, otherwise `ofBlock` times the integer of the part, or the
  /// part's own float.
  Real scaleOfGroup(BlockIndex<Index> index, const Real &ofBlock) const {
    if (format.parts == PartScales::None)
      return ofBlock;
    if (format.parts == PartScales::MiniFloats)
      return block.miniFloat(format.scaleLow.offset +
                             index.over(format.partNumbers));
    return ofBlock * block.real(scaleOf(index.over(format.partNumbers)));
  }
  /// The minimum of the group that contains the element, not negated: where it
  /// belongs to parts the caller subtracts it (isMinimumSubtracted).
  Real minimumOfGroup(BlockIndex<Index> index, const Real &ofBlock) const {
    if (format.parts == PartScales::None)
      return ofBlock;
    return ofBlock * block.real(minimumOf(index.over(format.partNumbers)));
  }

private:
  const BlockFormat &format;
  const Block &block;

  /// Four consecutive integers of a field are in four bytes, or in one byte.
  Word wordOf(const Field &field, BlockIndex<Index> index) const {
    int perByte = 8 / field.bits, round = field.stride * perByte;
    Index byte = field.offset + index.over(round) * field.stride;
    if (field.stride < codesOfWord)
      return block.fourOfByte(byte, index.over(1) % 8);
    return block.fourOf(byte + index.modulo(field.stride),
                        index.over(field.stride) % perByte * field.bits,
                        field.bits);
  }

  /// One integer of a field, by the index of its part. Unlike `wordOf` it makes
  /// no assumption about neighbors, since scales are read one at a time.
  Integer bitsOf(const Field &field, Index part) const {
    int perByte = 8 / field.bits, round = field.stride * perByte;
    if (field.skipped)
      part = part + field.skipped;
    Index byte =
        field.offset + part / round * field.stride + part % field.stride;
    return block.bits(byte, part % round / field.stride * field.bits,
                      field.bits);
  }

  /// The integer scale of a part, its bias subtracted: `scaleLow` holds the low
  /// bits and `scaleHigh`, if the format has it, those above.
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

  /// The integer minimum of a part; only formats with parts of 16 or 32
  /// elements have one.
  Integer minimumOf(Index part) const {
    return format.parts == PartScales::Interlocked
               ? interlockedOf(part, 4)
               : bitsOf(format.minimum, part);
  }

  /// The scales of parts 0 to 3 are the low 6 bits of bytes 0 to 3, the
  /// minimums those of bytes 4 to 7. For parts 4 to 7 the low 4 bits are the
  /// two halves of bytes 8 to 11, and the upper 2 bits are stored above the 6
  /// bits of the other bytes.
  Integer interlockedOf(Index part, int begin) const {
    Index own = format.scaleLow.offset + part % 4;
    Integer first = block.bits(own + begin, Index(0), 6);
    Integer second = block.bits(own + 8, Index(begin), 4) |
                     (block.bits(own + begin, Index(6), 2) << 4);
    return block.choose(part < 4, first, second);
  }
};

} // namespace transfold
