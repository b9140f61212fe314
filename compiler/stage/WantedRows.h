// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TRANSFOLD_COMPILER_STAGE_WANTEDROWS_H
#define TRANSFOLD_COMPILER_STAGE_WANTEDROWS_H

#include "dialect/Dialect.h"

namespace transfold::stage {

/// The rows `wanted` of each operand of `end`, which has rows along `length`,
/// computed for them alone as far back as each row is computed by itself.
void selectWantedRows(mlir::Operation *end, mlir::StringAttr length,
                      mlir::Value wanted);

} // namespace transfold::stage

#endif // TRANSFOLD_COMPILER_STAGE_WANTEDROWS_H
