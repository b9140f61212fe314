// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What is rounded to fewer bits, in words.

#ifndef TRANSFOLD_COMPILER_DRIVER_DESCRIBEROUNDING_H
#define TRANSFOLD_COMPILER_DRIVER_DESCRIBEROUNDING_H

#include "compiler/driver/Pipeline.h"

namespace transfold::driver {

/// What is rounded: "products", "weights and products".
std::string roundedOf(const FoldOptions &fold);

/// "products to bfloat16", "weights to 4 bits and products to 8 bits".
std::string describeRounding(const FoldOptions &fold);

} // namespace transfold::driver

#endif // TRANSFOLD_COMPILER_DRIVER_DESCRIBEROUNDING_H
