// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How numbers are written in the program's file: one function for each format.

#ifndef TRANSFOLD_COMPILER_WEIGHTS_ENCODE_H
#define TRANSFOLD_COMPILER_WEIGHTS_ENCODE_H

#include "dialect/Dialect.h"

#include <cstddef>
#include <span>

namespace transfold::weights {

/// Writes numbers that the format holds exactly, one behind the other.
using Encode = void (*)(std::span<const float> numbers, std::byte *to);

/// Kernels read f32, f16 and bf16.
Encode encoderOf(xf::Format format);

} // namespace transfold::weights

#endif // TRANSFOLD_COMPILER_WEIGHTS_ENCODE_H
