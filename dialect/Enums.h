// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The enumerations of the dialect, for files that need no more of it.

#ifndef TRANSFOLD_DIALECT_ENUMS_H
#define TRANSFOLD_DIALECT_ENUMS_H

#include <mlir/IR/DialectImplementation.h>

#include "dialect/XfEnums.h.inc"

#endif // TRANSFOLD_DIALECT_ENUMS_H
