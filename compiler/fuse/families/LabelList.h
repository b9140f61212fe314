// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lists of labels, in which the patterns of this room reorder and merge axes.

#pragma once

#include <mlir/IR/BuiltinAttributes.h>

namespace transfold::fuse {

/// The labels of axes, in their order.
using LabelList = llvm::SmallVector<llvm::StringRef>;

/// The labels of `labels` as strings.
inline LabelList listOf(mlir::ArrayAttr labels) {
  return LabelList(labels.getAsValueRange<mlir::StringAttr>());
}

} // namespace transfold::fuse
