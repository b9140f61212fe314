// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels whose additions treat values below 2^-126 as 0, as the instructions
// for bfloat16 do regardless of the control register. This header does not
// depend on Halide, which contains another LLVM.

#pragma once

namespace llvm {
class Module;
} // namespace llvm

namespace transfold::kernels {

/// Sets the flush-to-zero flags of the processor in each function of a kernel
/// for x86 that computes with floats. Calls of halide_do_par_for, which may run
/// other tasks, have the previous flags.
void flushDenormals(llvm::Module &module);

} // namespace transfold::kernels
