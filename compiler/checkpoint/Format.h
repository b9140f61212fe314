// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How the numbers of a tensor are written in its bytes: one record for each
// format. A container says which one a tensor has; nobody else asks what a
// number looks like.

#ifndef TRANSFOLD_COMPILER_CHECKPOINT_FORMAT_H
#define TRANSFOLD_COMPILER_CHECKPOINT_FORMAT_H

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace transfold::checkpoint {

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
  // In blocks: dialect/blocks/BlockFormat.h.
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
  // Integers with scales that lie elsewhere: StoredTensor.
  Int8_Row,
  Int8_Scaled,
  Int16_Scaled,
  // In blocks whose codes a codebook explains: CodebookFormats.h.
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

struct Format {
  /// "f32", "bf16", …: as messages and the IR spell it.
  std::string_view name;
  /// So many numbers, one behind the other, share so many bytes. Where that is
  /// more than one, a single number has no bytes of its own.
  int64_t blockNumbers, blockBytes;
  /// Whether elements are numbers by themselves. Integers stand for something:
  /// a position, or a weight that was quantised.
  bool isReal;
  /// Reads the numbers `first`, `first` + `step`, … of a tensor that begins at
  /// `bytes`, which need not be aligned; exactly, but for integers beyond 2^53.
  /// Of integers with scales it reads the integers.
  void (*read)(const std::byte *bytes, int64_t first, int64_t step,
               std::span<double> to);

  /// Bytes of so many numbers; the last block is there as a whole.
  int64_t bytesOf(int64_t numbers) const {
    return (numbers + blockNumbers - 1) / blockNumbers * blockBytes;
  }
  /// Numbers in so many bytes.
  int64_t numbersIn(int64_t bytes) const {
    return bytes / blockBytes * blockNumbers;
  }
};

const Format &formatOf(DType dtype);
/// The one of that name. Throws std::invalid_argument where there is none.
const Format &formatNamed(std::string_view name);

} // namespace transfold::checkpoint

#endif // TRANSFOLD_COMPILER_CHECKPOINT_FORMAT_H
