// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checks options of `compile` against each other.

#pragma once

#include "compiler/driver/output/Compile.h"

#include <llvm/ADT/ArrayRef.h>

namespace transfold::driver {

/// Throws std::exception if options are incompatible with what is emitted, or
/// if a static executable cannot be linked. `targets` are those of the kernels.
void checkOutputOptions(const CompileOptions &options,
                        llvm::ArrayRef<std::string> targets);

} // namespace transfold::driver
