// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where the weights of a library are.

#pragma once

#include "runtime/library/Interfaces.h"

#include <string>

namespace transfold::runtime::inline library {

/// Path of a model's weights file. `given` is a file, or a folder that contains
/// NAME.weights; if it is null or empty, the folder of the library or
/// executable that contains the model is used. Throws Failure.
std::string weightsPath(const tfold_model &model, const char *given);

} // namespace transfold::runtime::inline library
