// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The mark that WordDot.cpp leaves in a definition and build/llvm/WordDots.cpp
// finds in the bitcode that Halide makes of it. This header depends on neither.

#pragma once

#include <cstdint>
#include <optional>

namespace transfold::kernels {

/// Marks the sum of the four products of two words, four codes by four 8-bit
/// integers, and describes the codes.
struct WordDotMark {
  /// Codes are signed bytes, and not unsigned ones: from 0 to 127, or up to 255
  /// where LoweringOptions::takesUnsignedCodes moves signed codes.
  bool isSigned = false;
  /// Number of words for which the sum of all their first two products fits
  /// into a signed 16-bit integer; the same number holds for the last two
  /// products.
  uint32_t summable = 1;

  /// The bits of the mark.
  uint32_t encoded() const {
    return mark | (isSigned ? signedBit : 0) | summable;
  }
  /// The mark with these bits; nullopt for other values.
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
