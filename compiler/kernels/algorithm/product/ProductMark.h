// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The mark that Roundings.cpp leaves in a definition and
// build/llvm/FusedProducts.cpp finds in the bitcode that Halide makes of it.
// This header depends on neither.

#pragma once

#include <cstdint>

namespace transfold::kernels {

/// A product whose bits are XORed with this is fused with the sum that reads
/// it. It is a single, lowest bit, so that a product of constants, which LLVM
/// folds, so that the mark is not found, is wrong in its last bit at most.
constexpr uint32_t productMark = 1;

} // namespace transfold::kernels
