// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TRANSFOLD_DIALECT_MASK_H
#define TRANSFOLD_DIALECT_MASK_H

#include "dialect/Dialect.h"

namespace transfold::xf {

/// The mask that a definition of two positions says, such as
/// "[i, j] = j <= i and i - j < 4096"; null where it is anything but linear
/// comparisons that all hold.
MaskAttr maskOf(mlir::MLIRContext *context, const IndexDefinition &definition);

} // namespace transfold::xf

#endif // TRANSFOLD_DIALECT_MASK_H
