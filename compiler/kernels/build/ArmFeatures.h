// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What of an ARM processor's instructions code may use.

#ifndef TRANSFOLD_COMPILER_KERNELS_BUILD_ARMFEATURES_H
#define TRANSFOLD_COMPILER_KERNELS_BUILD_ARMFEATURES_H

namespace llvm {
class Module;
} // namespace llvm

namespace transfold::kernels {

/// Makes version 8.6 of the architecture the products of bfloat16 and of
/// matrices of bytes that came with it. Halide 21 has a word for the version
/// only, of whose other instructions many processors with such products lack
/// some.
void keepToProducts(llvm::Module &module);

} // namespace transfold::kernels

#endif // TRANSFOLD_COMPILER_KERNELS_BUILD_ARMFEATURES_H
