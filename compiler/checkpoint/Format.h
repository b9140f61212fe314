// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The storage formats of tensor elements: one record for each. A container
// states the format of a tensor; no other code depends on how an element is
// stored.

#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace transfold::checkpoint {

/// The format of the elements of a tensor.
enum class DType {
  F64,
  F32,
  F16,
  BF16,
  I64,
  I32,
  I16,
  I8,
  U8,
  Bool,
  // In blocks: base/numeric/BlockFormat.h.
  Q4_0,
  Q4_1,
  Q5_0,
  Q5_1,
  Q8_0,
  IQ4_NL,
  IQ4_XS,
  MXFP4,
  NVFP4,
  Q2_K,
  Q3_K,
  Q4_K,
  Q5_K,
  Q6_K,
  Int8_64,
  // Integers whose scales are stored elsewhere: StoredTensor.
  Int8_Row,
  Int8_Scaled,
  Int16_Scaled,
  // In blocks whose codes are indices into a codebook: CodebookFormats.h.
  IQ2_XXS,
  IQ2_XS,
  IQ2_S,
  IQ3_XXS,
  IQ3_S,
  IQ1_S,
  IQ1_M,
  TQ1_0,
  TQ2_0
};
constexpr int dtypeCount = static_cast<int>(DType::TQ2_0) + 1;

/// How elements are stored.
struct Format {
  /// "f32", "bf16", …: as spelled in messages and in the IR.
  std::string_view name;
  /// The number of consecutive elements that share so many bytes. If it is more
  /// than one, a single element has no bytes of its own.
  int64_t blockNumbers, blockBytes;
  /// Whether elements are real numbers by themselves. Integers stand for
  /// something else: a position, or a quantized weight.
  bool isReal;
  /// Reads elements `first`, `first` + `step`, … of a tensor that begins at
  /// `bytes`, which need not be aligned; exactly, except for integers beyond
  /// 2^53. For integers with scales it reads the integers.
  void (*read)(const std::byte *bytes, int64_t first, int64_t step,
               std::span<double> to);

  /// The bytes of so many elements; the last block counts as a whole.
  int64_t bytesOf(int64_t numbers) const {
    return (numbers + blockNumbers - 1) / blockNumbers * blockBytes;
  }
  /// The number of elements in so many bytes.
  int64_t numbersIn(int64_t bytes) const {
    return bytes / blockBytes * blockNumbers;
  }
};

/// The format of a type.
const Format &formatOf(DType dtype);
/// The format of that name. Throws std::invalid_argument if there is none.
const Format &formatNamed(std::string_view name);

} // namespace transfold::checkpoint
