// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Random weights for a model whose weights are not available: sufficient for
// comparing two ways of computing the model, but nothing that it has learned.

#pragma once

#include "compiler/checkpoint/Checkpoint.h"

#include <list>
#include <string>
#include <vector>

namespace transfold::checkpoint {

/// Makes tensors with pseudorandom elements.
class RandomTensors {
public:
  /// All elements have type `dtype`, which is f32, f16 or bf16.
  explicit RandomTensors(DType dtype) : dtype(dtype) {}

  /// The elements depend only on name and shape, not on the order of calls.
  /// Matrices preserve the magnitude of what they multiply: their deviation is
  /// 1 / √columns. Elements of vectors are around 1 / 2 and never 0, so that
  /// gains let everything pass and biases matter. Throws CheckpointError if all
  /// tensors together would not fit in memory.
  StoredTensor make(const std::string &name, const std::vector<int64_t> &shape);

private:
  DType dtype;
  int64_t bytes = 0;
  std::list<std::vector<std::byte>> contents;
};

} // namespace transfold::checkpoint
