// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Conversions from float32. The values were rounded before, so that the
// conversions themselves are exact.

#include "compiler/weights/Encode.h"

#include <bit>
#include <cstring>

using namespace transfold;

/// float32 as it is, in little-endian order.
static void encodeFloats(std::span<const float> numbers, std::byte *to) {
  std::memcpy(to, numbers.data(), numbers.size_bytes());
}

/// To float16.
static void encodeHalves(std::span<const float> numbers, std::byte *to) {
  for (float number : numbers) {
    auto half = static_cast<_Float16>(number);
    std::memcpy(to, &half, sizeof half);
    to += sizeof half;
  }
}

/// Takes the upper half of each float.
static void encodeBFloats(std::span<const float> numbers, std::byte *to) {
  for (float number : numbers) {
    auto half = static_cast<uint16_t>(std::bit_cast<uint32_t>(number) >> 16);
    std::memcpy(to, &half, sizeof half);
    to += sizeof half;
  }
}

weights::Encode weights::encoderOf(xf::Format format) {
  switch (format) {
  case xf::Format::F32:
    return encodeFloats;
  case xf::Format::F16:
    return encodeHalves;
  case xf::Format::BF16:
    return encodeBFloats;
  default:
    llvm_unreachable(
        "#xf.storage refuses f64, and blocks are not single elements");
  }
}
