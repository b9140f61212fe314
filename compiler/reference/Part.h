// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A range of positions of one axis of a value: the unit in which large weights
// are computed.

#pragma once

#include "compiler/reference/Tensor.h"

#include <optional>

namespace transfold::reference {

/// Positions `first` … `first + count - 1` of axis `axis`.
struct Part {
  unsigned axis;
  int64_t first, count;

  bool operator==(const Part &) const = default;
};

/// Nullopt: the whole value.
using OptionalPart = std::optional<Part>;

/// Cuts a part out of a whole value.
inline Tensor cut(const Tensor &whole, const OptionalPart &part) {
  if (!part)
    return whole;
  std::vector<int64_t> shape = whole.shape, strides = whole.strides();
  shape[part->axis] = part->count;
  return strided(whole, shape, strides, part->first * strides[part->axis]);
}

} // namespace transfold::reference
