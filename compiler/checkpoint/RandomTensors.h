// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Numbers for a model whose weights are not at hand: enough to compare two ways
// of computing it, nothing that it has learnt.

#ifndef TRANSFOLD_COMPILER_CHECKPOINT_RANDOMTENSORS_H
#define TRANSFOLD_COMPILER_CHECKPOINT_RANDOMTENSORS_H

#include "compiler/checkpoint/Checkpoint.h"

#include <list>
#include <string>
#include <vector>

namespace transfold::checkpoint {

class RandomTensors {
public:
  /// All numbers of `dtype`, which is f32, f16 or bf16.
  explicit RandomTensors(DType dtype) : dtype(dtype) {}

  /// The same numbers for the same name and shape, in whatever order they are
  /// asked for. Matrices keep the size of what they multiply: their deviation
  /// is 1 / √columns. Vectors lie around 1 / 2 and are never 0, so that gains
  /// let everything pass and biases matter. Throws CheckpointError where the
  /// numbers of all tensors would not fit in memory.
  StoredTensor make(const std::string &name, const std::vector<int64_t> &shape);

private:
  DType dtype;
  int64_t bytes = 0;
  std::list<std::vector<std::byte>> contents;
};

} // namespace transfold::checkpoint

#endif // TRANSFOLD_COMPILER_CHECKPOINT_RANDOMTENSORS_H
