// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Generates machine code from the bitcode that Halide makes, with products
// fused where Roundings.cpp marked them. This header does not depend on Halide,
// which contains another LLVM.

#pragma once

#include "compiler/kernels/build/BuildKernels.h"

#include <cstdint>
#include <string>

namespace transfold::kernels {

/// Properties of the code, in addition to its form.
struct CodeOptions {
  /// BuildOptions::scalarTiles.
  bool hasScalarTiles = false;
  /// Algorithm::flushesDenormals.
  bool flushesDenormals = false;
};

/// Returns an object file, or text. Throws std::runtime_error.
std::string emitKernel(llvm::StringRef bitcode, KernelForm form,
                       const CodeOptions &options = {});

} // namespace transfold::kernels
