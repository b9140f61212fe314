// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Restricts the ARM instructions that code may use.

#pragma once

namespace llvm {
class Module;
} // namespace llvm

namespace transfold::kernels {

/// Replaces version 8.6 of the architecture in the target features by the
/// products of bfloat16 and of matrices of bytes that came with it. Halide 21
/// has a feature for the whole version only, and many processors with these
/// products lack some of its other instructions.
void keepToProducts(llvm::Module &module);

} // namespace transfold::kernels
