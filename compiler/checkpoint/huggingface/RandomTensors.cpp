// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Makes random tensors, in a way that gives the same bytes on every platform.

#include "compiler/checkpoint/huggingface/RandomTensors.h"

#include <fmt/format.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <random>

namespace transfold::checkpoint {

/// The limit for all tensors together.
static constexpr int64_t mostBytes = int64_t(4) << 30;

/// Truncates instead of rounding, because any value is as good as the next.
static uint32_t bitsOf(double value, DType dtype) {
  if (dtype == DType::F32)
    return std::bit_cast<uint32_t>(float(value));
  if (dtype == DType::BF16)
    return std::bit_cast<uint32_t>(float(value)) >> 16;
  int exponent;
  double fraction = std::frexp(std::fabs(value), &exponent);
  if (exponent < -13) // below the smallest normal number
    return 0;
  return uint32_t(std::signbit(value)) << 15 | uint32_t(exponent + 14) << 10 |
         (uint32_t(fraction * 2048) & 1023);
}

StoredTensor RandomTensors::make(const std::string &name,
                                 const std::vector<int64_t> &shape) {
  const int64_t each = formatOf(dtype).blockBytes;
  int64_t count = each;
  for (int64_t extent : shape)
    if (__builtin_mul_overflow(count, extent, &count))
      count = mostBytes + 1;
  if (count > mostBytes - bytes)
    throw CheckpointError(fmt::format(
        "{}: the model is too large to make up its weights, which take more "
        "than {} GiB; give config.json fewer layers, or the weights",
        name, mostBytes >> 30));
  bytes += count;
  contents.emplace_back(count);
  // The standard fixes the output of this engine, so the values are the same on
  // all platforms; it does not fix that of its distributions. The sum of three
  // uniform values is close enough to normal.
  std::seed_seq seed(name.begin(), name.end());
  std::mt19937_64 engine(seed);
  auto uniform = [&] { return std::ldexp(double(engine() >> 11), -53); };
  bool isVector = shape.size() < 2;
  double deviation = 1 / std::sqrt(double(shape.empty() ? 1 : shape.back()));
  std::byte *to = contents.back().data();
  for (int64_t at = 0; at < count; at += each) {
    double value = 0.25 + uniform() / 2;
    if (!isVector)
      value = deviation * (uniform() + uniform() + uniform() - 1.5) * 2;
    uint32_t bits = bitsOf(value, dtype);
    std::memcpy(to + at, &bits, each); // little-endian, as in files
  }
  return {dtype, shape, contents.back()};
}

} // namespace transfold::checkpoint
