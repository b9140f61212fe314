// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Identifies the weights of a compilation.

#pragma once

#include "compiler/checkpoint/Checkpoint.h"

#include <string>

namespace transfold::driver {

/// The hash of the planned module, as it is printed, and of all bytes of the
/// checkpoint: weights that belong to another compilation are recognized.
std::string contentHash(const std::string &module,
                        const checkpoint::Checkpoint &checkpoint);

} // namespace transfold::driver
