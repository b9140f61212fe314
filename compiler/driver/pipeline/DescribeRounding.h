// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Describes in words what is rounded to fewer bits.

#pragma once

#include "compiler/driver/pipeline/Pipeline.h"

namespace transfold::driver {

/// The kind of values that are rounded: "products", "weights and products".
std::string roundedOf(const FoldOptions &fold);

/// "products to bfloat16", "weights to 4 bits and products to 8 bits".
std::string describeRounding(const FoldOptions &fold);

} // namespace transfold::driver
