// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/checkpoint/Checkpoint.h"

#include "compiler/checkpoint/HuggingFace.h"

#include <bit>
#include <cstring>

namespace transfold::checkpoint {

std::string_view name(DType dtype) {
  switch (dtype) {
  case DType::F64:
    return "f64";
  case DType::F32:
    return "f32";
  case DType::F16:
    return "f16";
  case DType::BF16:
    return "bf16";
  case DType::I64:
    return "i64";
  case DType::I32:
    return "i32";
  case DType::I16:
    return "i16";
  case DType::I8:
    return "i8";
  case DType::U8:
    return "u8";
  case DType::Bool:
    return "bool";
  }
  __builtin_unreachable();
}

unsigned size(DType dtype) {
  switch (dtype) {
  case DType::F64:
  case DType::I64:
    return 8;
  case DType::F32:
  case DType::I32:
    return 4;
  case DType::F16:
  case DType::BF16:
  case DType::I16:
    return 2;
  case DType::I8:
  case DType::U8:
  case DType::Bool:
    return 1;
  }
  __builtin_unreachable();
}

bool isReal(DType dtype) {
  switch (dtype) {
  case DType::F64:
  case DType::F32:
  case DType::F16:
  case DType::BF16:
    return true;
  case DType::I64:
  case DType::I32:
  case DType::I16:
  case DType::I8:
  case DType::U8:
  case DType::Bool:
    return false;
  }
  __builtin_unreachable();
}

namespace {

/// Tensors are not aligned in their file.
template <typename T> T load(const std::byte *from) {
  T value;
  std::memcpy(&value, from, sizeof(T));
  return value;
}

} // namespace

double StoredTensor::element(int64_t index) const {
  const std::byte *from = bytes.data() + index * checkpoint::size(dtype);
  switch (dtype) {
  case DType::F64:
    return load<double>(from);
  case DType::F32:
    return load<float>(from);
  case DType::F16:
    return static_cast<double>(load<_Float16>(from));
  case DType::BF16:
    return std::bit_cast<float>(uint32_t{load<uint16_t>(from)} << 16);
  case DType::I64:
    return static_cast<double>(load<int64_t>(from));
  case DType::I32:
    return load<int32_t>(from);
  case DType::I16:
    return load<int16_t>(from);
  case DType::I8:
    return load<int8_t>(from);
  case DType::U8:
    return load<uint8_t>(from);
  case DType::Bool:
    return load<uint8_t>(from) != 0;
  }
  __builtin_unreachable();
}

std::unique_ptr<Checkpoint> Checkpoint::open(const std::string &directory,
                                             WithoutWeights missing) {
  return openHuggingFace(directory, missing);
}

} // namespace transfold::checkpoint
