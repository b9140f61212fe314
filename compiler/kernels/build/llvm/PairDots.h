// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Replaces products of pairs of bfloat16 that algorithm/product/PairDot.h
// marked by instructions. This header does not depend on Halide, which contains
// another LLVM.

#pragma once

namespace llvm {
class Function;
} // namespace llvm

namespace transfold::kernels {

/// Replaces all marked products by ARM's bfdot or x86's vdpbf16ps. Throws
/// std::runtime_error if a mark has an unknown form.
void replacePairDots(llvm::Function &function);

} // namespace transfold::kernels
