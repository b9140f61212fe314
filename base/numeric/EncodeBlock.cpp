// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Encodes the values x of a block as codes q, for weights that the compiler
// quantizes itself:
//
//   q8_0, int8_64   x ≈ d q        d = max |x| / 127, q from -127 to 127
//   q5_1            x ≈ d q + m    q from 0 to 31
//   q4_1            x ≈ d q + m    q from 0 to 15
//
// d and m are float16, and q is chosen for their rounded values. In q5_1 and
// q4_1, d and m are searched: for several steps near (max - min) / (number of
// codes - 1) codes are chosen, d and m are fitted to these codes by least
// squares, and the candidate with the smallest error is kept. Each squared
// error is weighted by the magnitude of what the element is multiplied with,
// where that was measured. (A range that ends a little before the extremes
// spares most elements the error that the few extremes would cost them.)

#include "base/numeric/BlockFormat.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstring>

using namespace transfold;

/// The largest finite float16. Scales beyond it are clamped, since a block with
/// an infinite scale has no finite value.
constexpr float largestHalf = 65504;

/// `number` rounded to float16 and back, clamped to the finite range. Codes are
/// chosen for the rounded scale, so that its error is not added to theirs.
static float asHalf(float number) {
  return static_cast<float>(
      static_cast<_Float16>(std::clamp(number, -largestHalf, largestHalf)));
}

/// Writes `number` as the two bytes of a float16, little-endian as on all
/// hosts.
static void putHalf(float number, std::byte *to) {
  auto half = static_cast<_Float16>(number);
  std::memcpy(to, &half, sizeof half);
}

/// The nearest code, ties to even, within the range from `least` to `most`; 0
/// where the scale is 0, since then every code has the same value.
static float codeOf(float number, float scale, float least, float most) {
  return scale == 0 ? 0
                    : std::clamp(std::nearbyint(number / scale), least, most);
}

/// Encodes signed codes of 8 bits without a search: with 255 codes the largest
/// magnitude determines the scale, and a search gains little. −128 is not used,
/// so that the codes are symmetric and their products with other such codes
/// stay below 2^14.
static void encodeQ8(std::span<const float> numbers, const BlockFormat &format,
                     std::byte *to) {
  float largest = 0;
  for (float x : numbers)
    largest = std::max(largest, std::abs(x));
  const float scale = asHalf(largest / 127);
  putHalf(scale, to + format.scaleAt);
  for (size_t k = 0; k < numbers.size(); ++k)
    to[format.low.offset + k] = static_cast<std::byte>(
        static_cast<int8_t>(codeOf(numbers[k], scale, -127, 127)));
}

namespace {
/// The values of a block, and the weight of the squared error of each.
struct Weighed {
  std::span<const float> numbers, weights;

  double weight(size_t k) const { return weights.empty() ? 1 : weights[k]; }
};

/// An affine code x ≈ scale q + minimum, with q from 0 to `most`.
struct Fit {
  float scale, minimum, most;

  float code(float x) const { return codeOf(x - minimum, scale, 0, most); }
  /// The fit that a decoder computes: its scale and minimum are stored as
  /// float16.
  Fit inHalves() const { return {asHalf(scale), asHalf(minimum), most}; }
  /// The weighted squared error of the whole block.
  double errorOf(const Weighed &block) const {
    double sum = 0;
    for (size_t k = 0; k < block.numbers.size(); ++k) {
      const float x = block.numbers[k];
      double error = scale * code(x) + minimum - x;
      sum += block.weight(k) * error * error;
    }
    return sum;
  }
  /// The least-squares fit for the codes that this fit chooses.
  Fit improved(const Weighed &block) const {
    double n = 0, q = 0, qq = 0, y = 0, qy = 0;
    for (size_t k = 0; k < block.numbers.size(); ++k) {
      const double x = block.numbers[k], own = code(block.numbers[k]),
                   weight = block.weight(k);
      n += weight;
      q += weight * own;
      qq += weight * own * own;
      y += weight * x;
      qy += weight * own * x;
    }
    // Of the normal equations [qq q; q n] [scale; minimum] = [qy; y]. It is 0
    // if all elements have the same code; then any scale fits, and the old one
    // is kept.
    const double determinant = n * qq - q * q;
    if (determinant <= 0)
      return *this;
    return {static_cast<float>((n * qy - q * y) / determinant),
            static_cast<float>((qq * y - q * qy) / determinant), most};
  }
};
} // namespace

/// The fit with the smallest weighted error among float16 candidates, for codes
/// from 0 to `codes`. It begins with the whole range of the block, so it is
/// never worse than the plain affine code.
static Fit bestFit(const Weighed &block, float codes) {
  const auto [least, most] = std::ranges::minmax(block.numbers);
  Fit best = Fit{(most - least) / codes, least, codes}.inHalves();
  double error = best.errorOf(block);
  // The step is such that `between` steps lie between the extremes.
  for (float between = codes - 1.5f; between <= codes + 1.5f; between += 0.5f) {
    const float width = (most - least) / between;
    Fit fit{width, least + (most - least - codes * width) / 2, codes};
    for (int round = 0; round < 2; ++round)
      fit = fit.improved(block);
    fit = fit.inHalves();
    if (double own = fit.errorOf(block); own < error) {
      best = fit;
      error = own;
    }
  }
  return best;
}

/// Encodes codes of 4 bits, and of 5 bits whose highest bits are stored apart.
static void encodeSearched(const Weighed &block, const BlockFormat &format,
                           std::byte *to) {
  const int bits = format.low.bits + format.high.bits;
  const Fit fit = bestFit(block, static_cast<float>((1 << bits) - 1));
  std::span<const float> numbers = block.numbers;
  putHalf(fit.scale, to + format.scaleAt);
  putHalf(fit.minimum, to + format.minimumAt);
  const int half = format.low.stride; // codes k and k + 16 share a byte
  uint32_t highest = 0;               // the highest bit of each code
  for (int k = 0; k < half; ++k) {
    auto first = static_cast<unsigned>(fit.code(numbers[k]));
    auto second = static_cast<unsigned>(fit.code(numbers[k + half]));
    to[format.low.offset + k] =
        static_cast<std::byte>((first & 15) | (second & 15) << 4);
    highest |= first >> 4 << k | second >> 4 << (k + half);
  }
  if (format.high.isThere())
    std::memcpy(to + format.high.offset, &highest, sizeof highest);
}

double transfold::squareOfScaleError(const BlockFormat &format,
                                     std::span<const float> numbers) {
  const auto [least, most] = std::ranges::minmax(numbers);
  const auto codes =
      static_cast<float>((1 << (format.low.bits + format.high.bits)) - 1);
  const float scale = format.isSigned
                          ? std::max(std::abs(least), std::abs(most)) / 127
                          : most / codes - least / codes,
              minimum = format.isSigned ? 0 : least;
  if (scale > largestHalf || std::abs(minimum) > largestHalf)
    return INFINITY;
  // The largest code is 127, or the number of codes - 1; a third of its square
  // is the mean square of codes.
  const double largestCode = format.isSigned ? 127 : codes;
  const double error = std::abs(double{asHalf(scale)} - scale) * largestCode +
                       std::abs(double{asHalf(minimum)} - minimum);
  return error * error / 3;
}

bool transfold::isWritten(const BlockFormat &format) {
  return format.name == "q8_0" || format.name == "int8_64" ||
         format.name == "q5_1" || format.name == "q4_1";
}

void transfold::encodeBlock(const BlockFormat &format,
                            std::span<const float> numbers,
                            std::span<const float> weights, std::byte *to) {
  assert(isWritten(format) &&
         numbers.size() == static_cast<size_t>(format.numbers));
  if (format.isSigned)
    encodeQ8(numbers, format, to);
  else
    encodeSearched({numbers, weights}, format, to);
}
