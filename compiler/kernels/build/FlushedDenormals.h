// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels to whose additions numbers below 2^-126 are 0, as they are to the
// instructions for bfloat16, which ask nobody. Free of Halide, whose LLVM is
// another one.

#ifndef TRANSFOLD_COMPILER_KERNELS_BUILD_FLUSHEDDENORMALS_H
#define TRANSFOLD_COMPILER_KERNELS_BUILD_FLUSHEDDENORMALS_H

namespace llvm {
class Module;
} // namespace llvm

namespace transfold::kernels {

/// Has each function of a kernel for x86 say so to the processor while it
/// computes; what it calls, other tasks among that, has what was before.
void flushDenormals(llvm::Module &module);

} // namespace transfold::kernels

#endif // TRANSFOLD_COMPILER_KERNELS_BUILD_FLUSHEDDENORMALS_H
