// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads elements of stored tensors, with their scales.

#include "compiler/checkpoint/Checkpoint.h"

#include <cstring>

namespace transfold::checkpoint {

float StoredTensor::scaleOf(int64_t index) const {
  if (scales.empty())
    return 1;
  float scale;
  std::memcpy(&scale, scales.data() + index / sharing * int64_t{sizeof(float)},
              sizeof scale); // it may not be aligned
  return scale;
}

void StoredTensor::read(int64_t first, int64_t step,
                        std::span<double> to) const {
  format().read(bytes.data(), first, step, to);
  if (scales.empty())
    return;
  for (double &number : to) {
    number /= scaleOf(first);
    first += step;
  }
}

} // namespace transfold::checkpoint
