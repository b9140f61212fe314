// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Computes the strides of both layouts. The padded one is row-major in the
// declared order of axes; the dense one moves the axis with a length to the
// front.

#include "runtime/program/call/PaddedLayout.h"

#include <fmt/format.h>

#include <algorithm>

namespace transfold::runtime::inline program {

PaddedLayout::PaddedLayout(const Shape &shape, std::span<const int64_t> lengths,
                           std::span<const int64_t> padded) {
  for (const Axis &axis : shape) {
    auto length = static_cast<size_t>(axis.length);
    bool fixed = axis.length < 0;
    axes.push_back({fixed ? axis.size : lengths[length],
                    fixed ? axis.size : padded[length], 0, 0});
  }
  int64_t stride = 1;
  for (size_t i = axes.size(); i-- > 0;) {
    axes[i].paddedStride = stride;
    stride *= axes[i].padded;
  }
  // From the innermost outwards: fixed axes, then the axis with a length. If
  // there are several axes with lengths, the declared order is kept.
  bool inOrder = std::ranges::count_if(shape, [](const Axis &axis) {
                   return axis.length >= 0;
                 }) > 1;
  stride = 1;
  for (bool fixed : {true, false})
    for (size_t i = axes.size(); i-- > 0;) {
      if (inOrder ? !fixed : (shape[i].length < 0) != fixed)
        continue;
      axes[i].denseStride = stride;
      stride *= axes[i].extent;
    }
}

std::string PaddedLayout::place(int64_t paddedIndex) const {
  std::vector<int64_t> indices;
  for (const AxisLayout &axis : axes)
    indices.push_back(paddedIndex / axis.paddedStride % axis.padded);
  return fmt::format("{}", fmt::join(indices, ", "));
}

} // namespace transfold::runtime::inline program
