// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Machine code from the bitcode that Halide makes, with products fused where
// Roundings.cpp marked them. Free of Halide, whose LLVM is another one.

#ifndef TRANSFOLD_COMPILER_KERNELS_BUILD_FUSEDPRODUCTS_H
#define TRANSFOLD_COMPILER_KERNELS_BUILD_FUSEDPRODUCTS_H

#include "compiler/kernels/build/BuildKernels.h"

#include <cstdint>
#include <string>

namespace transfold::kernels {

/// What is asked of the code beside its form.
struct CodeOptions {
  /// As BuildOptions has it.
  bool hasScalarTiles = false;
  /// As Algorithm has it.
  bool flushesDenormals = false;
};

/// An object file, or text. Throws std::runtime_error.
std::string emitKernel(llvm::StringRef bitcode, KernelForm form,
                       const CodeOptions &options = {});

} // namespace transfold::kernels

#endif // TRANSFOLD_COMPILER_KERNELS_BUILD_FUSEDPRODUCTS_H
