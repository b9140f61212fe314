// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#pragma once

#include "dialect/Dialect.h"

namespace transfold::xf {

/// The type of values along all other axes than `axis`; `type` itself if it has
/// no such axis.
inline RealType withoutAxis(mlir::Type type, int64_t axis) {
  llvm::SmallVector<mlir::Attribute> shape(getShape(type));
  if (axis >= 0 && axis < static_cast<int64_t>(shape.size()))
    shape.erase(shape.begin() + axis);
  return RealType::get(type.getContext(), shape);
}

} // namespace transfold::xf
