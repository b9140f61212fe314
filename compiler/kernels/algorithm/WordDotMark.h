// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What WordDot.cpp leaves in a definition and build/WordDots.cpp finds in the
// bitcode that Halide makes of it. Free of both.

#ifndef TRANSFOLD_COMPILER_KERNELS_ALGORITHM_WORDDOTMARK_H
#define TRANSFOLD_COMPILER_KERNELS_ALGORITHM_WORDDOTMARK_H

#include <cstdint>
#include <optional>

namespace transfold::kernels {

/// Of a product of two words, four codes by four numbers of 8 bits, all of
/// which are added: what is known of the codes.
struct WordDotMark {
  /// Codes are -128 to 127, and not 0 to 127.
  bool isSigned = false;
  /// Of how many words the first two products of each have a sum that fits into
  /// 16 bits with a sign; so have the last two.
  uint32_t summable = 1;

  uint32_t encoded() const {
    return mark | (isSigned ? signedBit : 0) | summable;
  }
  static std::optional<WordDotMark> decoded(uint64_t bits) {
    if ((bits & ~uint64_t{fields}) != mark)
      return std::nullopt;
    return WordDotMark{(bits & signedBit) != 0,
                       static_cast<uint32_t>(bits & (signedBit - 1))};
  }

private:
  static constexpr uint32_t mark = 0x5d070000, fields = 0x1ff,
                            signedBit = 0x100;
};

} // namespace transfold::kernels

#endif // TRANSFOLD_COMPILER_KERNELS_ALGORITHM_WORDDOTMARK_H
