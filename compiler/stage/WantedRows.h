// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Restricts the last operations of a decode step to the rows that the caller
// requested.

#pragma once

#include "dialect/Dialect.h"

namespace transfold::stage {

/// Replaces each operand of `end`, which has rows along `length`, by its rows
/// `wanted`, computed for these alone as far back as rows are independent.
void selectWantedRows(mlir::Operation *end, mlir::StringAttr length,
                      mlir::Value wanted);

} // namespace transfold::stage
