// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/checkpoint/Format.h"

#include <bit>
#include <cstring>

namespace transfold::checkpoint {

/// A number of 16 bits that is the upper half of a float.
struct BFloat16 {
  uint16_t bits;
  explicit operator double() const {
    return std::bit_cast<float>(uint32_t{bits} << 16);
  }
};

/// Numbers that each have a C++ type.
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
                          boolean = each<uint8_t>("bool", false);
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
  }
  __builtin_unreachable();
}

} // namespace transfold::checkpoint
