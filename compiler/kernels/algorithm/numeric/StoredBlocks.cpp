// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Access to the fields of a block as words of a panel. Shifts and masks are
// constants where loops over a block are unrolled.

#include "compiler/kernels/algorithm/numeric/StoredBlocks.h"

#include "compiler/kernels/algorithm/numeric/HalideMath.h"

using namespace Halide;

namespace transfold::kernels {

WordBlock::Place WordBlock::placeOf(const Expr &byte) const {
  Expr own =
      format.oddBytes && format.oddAt == 0 ? byte - format.oddBytes : byte;
  return {word(own / wordBytes * blockPanelWidth + column),
          own % wordBytes * 8};
}

// Columns that share a word of odd bytes are as many columns apart as there are
// words of odd bytes.
WordBlock::Place WordBlock::placeOfOdd(int byte) const {
  int words = (format.bytes - format.oddBytes) / wordBytes;
  int distance = blockPanelWidth * format.oddBytes / wordBytes;
  return {word(words * blockPanelWidth + column % distance),
          column / distance * (8 * format.oddBytes) +
              8 * (byte - format.oddAt)};
}

WordBlock::Place WordBlock::placeOfKnown(int byte) const {
  bool isOdd = byte >= format.oddAt && byte < format.oddAt + format.oddBytes;
  return isOdd ? placeOfOdd(byte) : placeOf(byte);
}

// The shift is cast to unsigned: shifts by an amount that may be negative cost
// more.
static Expr shifted(const Expr &word, const Expr &by) {
  return word >> cast<uint32_t>(by);
}

Expr WordBlock::bits(const Expr &byte, const Expr &shift, int count) const {
  Place place = placeOf(byte);
  return cast<int32_t>(shifted(place.word, place.shift + shift) &
                       Expr((uint32_t{1} << count) - 1));
}

// The four bytes are one word, since fields of words begin at one.
Expr WordBlock::fourOf(const Expr &byte, const Expr &shift, int count) const {
  const uint32_t mask = (uint32_t{1} << count) - 1;
  return shifted(placeOf(byte).word, shift) & Expr(mask * 0x01010101u);
}

// Bit i of four becomes bit 8 i: the multiplication with 2^(7 i) moves it, and
// the mask removes all other bits.
Expr WordBlock::fourOfByte(const Expr &byte, const Expr &shift) const {
  Place place = placeOf(byte);
  Expr four = shifted(place.word, place.shift + shift) & Expr(uint32_t{0xf});
  return four * Expr(uint32_t{0x00204081}) & Expr(uint32_t{0x01010101});
}

Expr WordBlock::byteOf(const Expr &word, const Expr &number) const {
  return cast<int32_t>(shifted(word, number * 8) & Expr(uint32_t{0xff}));
}

Expr WordBlock::signedBits(const Expr &byte) const {
  Place place = placeOf(byte);
  return cast<int32_t>(place.word << cast<uint32_t>(24 - place.shift)) >>
         Expr(uint32_t{24});
}

// An infinite or NaN scale would become a finite value; hasFiniteScales was
// checked before.
Expr WordBlock::half(int byte) const {
  Place place = placeOfKnown(byte);
  return finiteFloat16(shifted(place.word, place.shift));
}

Expr WordBlock::single(int byte) const {
  return reinterpret<float>(placeOfKnown(byte).word);
}

// A float of 8 bits is a float16 whose exponent is 2^8 times higher, and half
// of this value is meant: a factor of 128. The code of NaN is 0, as in
// llama.cpp.
Expr WordBlock::miniFloat(const Expr &byte) const {
  Place place = placeOf(byte);
  Expr bits = shifted(place.word, place.shift) & Expr(uint32_t{0xff});
  Expr number = finiteFloat16((bits & Expr(uint32_t{0x7f})) << 7) * 128.0f;
  return Halide::select(bits == Expr(uint32_t{0x7f}), 0.0f, number);
}

// 2^-128 and 2^-127 are subnormal.
Expr WordBlock::powerOfTwo(int byte) const {
  Place place = placeOfKnown(byte);
  Expr exponent = shifted(place.word, place.shift) & Expr(uint32_t{0xff});
  Expr small = Expr(uint32_t{0x00200000}) << min(exponent, Expr(uint32_t{1}));
  return reinterpret<float>(
      Halide::select(exponent < Expr(uint32_t{2}), small,
                     (max(exponent, Expr(uint32_t{1})) - Expr(uint32_t{1}))
                         << Expr(uint32_t{23})));
}

// Four values form a word: two selects find the word, a shift the value.
Expr WordBlock::table(const std::array<int8_t, 16> &values,
                      const Expr &code) const {
  auto four = [&](int first) {
    uint32_t all = 0;
    for (int i = 0; i < 4; ++i)
      all |= uint32_t{static_cast<uint8_t>(values[first + i])} << (8 * i);
    return Expr(all);
  };
  Expr found =
      Halide::select(code < 8, Halide::select(code < 4, four(0), four(4)),
                     Halide::select(code < 12, four(8), four(12)));
  Expr up = cast<uint32_t>(24 - 8 * (code % 4));
  return cast<int32_t>(found << up) >> Expr(uint32_t{24});
}

Expr WordBlock::real(const Expr &value) const { return cast<float>(value); }

Expr WordBlock::choose(const Expr &condition, const Expr &a,
                       const Expr &b) const {
  return Halide::select(condition, a, b);
}

} // namespace transfold::kernels
