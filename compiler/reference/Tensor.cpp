// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The one loop by which values are permuted, broadcast and cut.

#include "compiler/reference/Tensor.h"

using namespace transfold::reference;

Tensor transfold::reference::strided(const Tensor &source,
                                     const std::vector<int64_t> &shape,
                                     const std::vector<int64_t> &strides,
                                     int64_t offset) {
  Tensor result(shape);
  std::vector<int64_t> index(shape.size(), 0);
  int64_t from = offset;
  for (int64_t to = 0; to < result.size(); ++to) {
    result.data[to] = source.data[from];
    // Increments the index like an odometer, the last axis fastest.
    for (size_t axis = shape.size(); axis-- > 0;) {
      from += strides[axis];
      if (++index[axis] < shape[axis])
        break;
      from -= strides[axis] * shape[axis];
      index[axis] = 0;
    }
  }
  return result;
}
