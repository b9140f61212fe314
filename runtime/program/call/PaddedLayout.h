// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Maps one sequence of a padded array to the layout that kernels expect:
// without padding, axes with a length first (Program.h).

#pragma once

#include "runtime/program/metadata/Metadata.h"

#include <cstdint>
#include <span>
#include <vector>

namespace transfold::runtime::inline program {

/// The strides of one sequence in both layouts, in elements.
class PaddedLayout {
public:
  /// `lengths` are those of the sequence, `padded` those of the array.
  PaddedLayout(const Shape &shape, std::span<const int64_t> lengths,
               std::span<const int64_t> padded);

  /// Calls visit(index in the padded sequence, index in the dense one) for
  /// every element.
  template <typename Visit> void forEach(Visit visit) const {
    walk(0, 0, 0, visit);
  }
  /// Coordinates of an element of the padded sequence, for messages: "5, 3".
  std::string place(int64_t paddedIndex) const;

private:
  struct AxisLayout {
    int64_t extent, padded;            // elements
    int64_t paddedStride, denseStride; // elements
  };
  std::vector<AxisLayout> axes; // in declared order

  /// Visits the elements below `axis`, in the declared order of axes.
  template <typename Visit>
  void walk(size_t axis, int64_t padded, int64_t dense, Visit &visit) const {
    if (axis == axes.size())
      return visit(padded, dense);
    const AxisLayout &layout = axes[axis];
    for (int64_t i = 0; i < layout.extent; ++i)
      walk(axis + 1, padded + i * layout.paddedStride,
           dense + i * layout.denseStride, visit);
  }
};

} // namespace transfold::runtime::inline program
