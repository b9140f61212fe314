// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How elements are written in the program's file: one function for each format.

#pragma once

#include "dialect/Dialect.h"

#include <cstddef>
#include <span>

namespace transfold::weights {

/// Writes consecutive values, each of which the format represents exactly.
using Encode = void (*)(std::span<const float> numbers, std::byte *to);

/// The function for a format of single elements that kernels read: f32, f16 or
/// bf16.
Encode encoderOf(xf::Format format);

} // namespace transfold::weights
