// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What programs keep of the formats that checkpoints have.

#ifndef TRANSFOLD_DIALECT_STORAGE_H
#define TRANSFOLD_DIALECT_STORAGE_H

#include "dialect/Dialect.h"

namespace transfold::xf {

/// Whether weights may be stored in a format: kernels widen its numbers. Others
/// are widened when the program's weights are written.
bool isReadByKernels(Format format);

} // namespace transfold::xf

#endif // TRANSFOLD_DIALECT_STORAGE_H
