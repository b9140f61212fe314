// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How much the kernels of an entry have to do, so that a program can tell how
// near they are to what the machine can.

#ifndef TRANSFOLD_COMPILER_HOST_WORK_H
#define TRANSFOLD_COMPILER_HOST_WORK_H

#include "dialect/Dialect.h"

#include <nlohmann/json.hpp>

namespace transfold::host {

/// "work" of an entry (runtime/program/Program.h): of each kernel that
/// multiplies or reads weights, and how much is known of.
nlohmann::ordered_json describeWork(xf::EntryOp entry);

/// What a kernel's products are made of: "f32", "bf16" or "int8".
const char *productsOf(xf::KernelOp kernel);

/// Bytes of all members of a weight, if a launch reads it as a whole; of a
/// table it reads some rows.
uint64_t bytesRead(mlir::OpOperand &use);

/// How often an operation of an entry runs in one run of it.
int64_t countOf(mlir::Operation *op);

} // namespace transfold::host

#endif // TRANSFOLD_COMPILER_HOST_WORK_H
