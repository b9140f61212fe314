// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Definitions write a product of words as a quotient of floats with a mark, or
// byte by byte where no later pass replaces marks.

#include "compiler/kernels/algorithm/product/WordDot.h"

using namespace Halide;
using Internal::Call;

namespace transfold::kernels {

constexpr int bytesOfWord = 4;

/// One byte of a word as an int32, extended with its sign or with zeros.
static Expr byteOf(const Expr &word, int byte, bool isSigned) {
  Expr own = cast<uint8_t>(word >> Expr(static_cast<uint32_t>(8 * byte)));
  return cast<int32_t>(isSigned ? reinterpret<int8_t>(own) : own);
}

Expr dotOfWords(const Expr &codes, const Expr &numbers, WordDotMark mark,
                bool isMarked) {
  if (isMarked) {
    Expr both =
        Call::make(Float(32), Call::strict_div,
                   {reinterpret<float>(codes), reinterpret<float>(numbers)},
                   Call::PureIntrinsic);
    return cast<int32_t>(reinterpret<uint32_t>(both) ^ Expr(mark.encoded()));
  }
  Expr sum;
  for (int byte = 0; byte < bytesOfWord; ++byte) {
    Expr product =
        byteOf(codes, byte, mark.isSigned) * byteOf(numbers, byte, true);
    sum = sum.defined() ? sum + product : product;
  }
  return sum;
}

/// The bytes may be negative: the mask removes their sign extension.
Expr wordOfBytes(const std::function<Expr(int)> &byte) {
  Expr word;
  for (int i = 0; i < bytesOfWord; ++i) {
    Expr own = (cast<uint32_t>(byte(i)) & Expr(uint32_t{0xff}))
               << Expr(static_cast<uint32_t>(8 * i));
    word = word.defined() ? word | own : own;
  }
  return word;
}

Expr octetOfWords(const Expr &low, const Expr &high) {
  return cast<uint64_t>(low) | cast<uint64_t>(high) << Expr(uint64_t{32});
}

std::vector<Expr> wordsOf(const Expr &entry) {
  if (entry.type().bits() == 32)
    return {entry};
  return {cast<uint32_t>(entry), cast<uint32_t>(entry >> Expr(uint64_t{32}))};
}

Expr dotOfEntries(const Expr &codes, const Expr &numbers, WordDotMark mark,
                  bool isMarked) {
  const std::vector<Expr> ofCodes = wordsOf(codes),
                          ofNumbers = wordsOf(numbers);
  Expr sum;
  for (size_t i = 0; i < ofCodes.size(); ++i) {
    Expr dot = dotOfWords(ofCodes[i], ofNumbers[i], mark, isMarked);
    sum = sum.defined() ? sum + dot : dot;
  }
  return sum;
}

} // namespace transfold::kernels
