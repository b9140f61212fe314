// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The enumerations of the dialect, for files that need no more of it.

#pragma once

#include <mlir/IR/DialectImplementation.h>

#include "dialect/XfEnums.h.inc"
