// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// compile --self-check: runs the program that was compiled, and compares its
// results with those of the interpreter.

#pragma once

#include "compiler/driver/output/Compile.h"

namespace transfold::driver {

/// Throws std::runtime_error if a program compiled with these options cannot be
/// checked on this machine. To be called before compiling.
void checkSelfCheck(const CompileOptions &options);

/// Compares the program that was compiled with these options with the equations
/// in double, for sequences of several lengths, whole and in steps, and with
/// the kernels of each processor that this machine can be. Throws Error with
/// the first result that differs.
void selfCheck(const CompileOptions &options);

} // namespace transfold::driver
