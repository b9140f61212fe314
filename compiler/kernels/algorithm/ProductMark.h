// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What Roundings.cpp leaves in a definition and build/FusedProducts.cpp finds
// in the bitcode that Halide makes of it. Free of both.

#ifndef TRANSFOLD_COMPILER_KERNELS_ALGORITHM_PRODUCTMARK_H
#define TRANSFOLD_COMPILER_KERNELS_ALGORITHM_PRODUCTMARK_H

#include <cstdint>

namespace transfold::kernels {

/// A product whose bits are changed by it is fused with the sum that reads it.
/// One bit, so that a product of constants, which LLVM computes and where no
/// mark is found, is off by its last digit at most.
constexpr uint32_t productMark = 1;

} // namespace transfold::kernels

#endif // TRANSFOLD_COMPILER_KERNELS_ALGORITHM_PRODUCTMARK_H
