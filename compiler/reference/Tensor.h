// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A dense value of the interpreter: row-major in the order of its axes. Reals
// are doubles; integers fit a double exactly and use the same storage.

#pragma once

#include <cstdint>
#include <functional>
#include <numeric>
#include <vector>

namespace transfold::reference {

/// A shape and its elements.
struct Tensor {
  std::vector<int64_t> shape;
  std::vector<double> data;

  Tensor() = default;
  /// A value of zeros.
  explicit Tensor(std::vector<int64_t> dims)
      : shape(std::move(dims)), data(count(shape), 0.0) {}

  /// The elements of a value of that shape; 1 for a scalar.
  static int64_t count(const std::vector<int64_t> &shape) {
    return std::accumulate(shape.begin(), shape.end(), int64_t(1),
                           std::multiplies<int64_t>());
  }
  /// The number of elements.
  int64_t size() const { return static_cast<int64_t>(data.size()); }
  /// The distance in elements between neighbors along each axis.
  std::vector<int64_t> strides() const {
    std::vector<int64_t> result(shape.size());
    int64_t stride = 1;
    for (size_t axis = shape.size(); axis-- > 0;) {
      result[axis] = stride;
      stride *= shape[axis];
    }
    return result;
  }
};

/// A copy in which axis k of the result advances by `strides[k]` elements of
/// `source` per step, over `shape`; a stride of 0 repeats. All permutations,
/// broadcasts and slices use this loop.
Tensor strided(const Tensor &source, const std::vector<int64_t> &shape,
               const std::vector<int64_t> &strides, int64_t offset = 0);

} // namespace transfold::reference
