// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The work of an entry's kernels, from which a program can compute how close
// they come to the machine's peak.

#pragma once

#include "dialect/Dialect.h"
#include "runtime/program/metadata/Records.h"

namespace transfold::host {

/// The field "work" of an entry (runtime/program/Program.h): for each kernel
/// that multiplies or reads weights and whose work is known.
std::vector<runtime::records::Work> describeWork(xf::EntryOp entry);

/// The element type of a kernel's products: "f32", "bf16" or "int8".
const char *productsOf(xf::KernelOp kernel);

/// The bytes of all members of a weight, if a launch reads it as a whole; 0 for
/// a table, of which it reads some rows.
uint64_t bytesRead(mlir::OpOperand &use);

/// How often an operation of an entry runs in one run of the entry.
int64_t countOf(mlir::Operation *op);

} // namespace transfold::host
