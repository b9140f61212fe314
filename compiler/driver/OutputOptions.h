// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TRANSFOLD_COMPILER_DRIVER_OUTPUTOPTIONS_H
#define TRANSFOLD_COMPILER_DRIVER_OUTPUTOPTIONS_H

#include "compiler/driver/Compile.h"

#include <llvm/ADT/ArrayRef.h>

namespace transfold::driver {

/// Throws std::exception where an option does not go with what is emitted, or
/// a static executable cannot be made. `targets` are those of the
/// kernels.
void checkOutputOptions(const CompileOptions &options,
                        llvm::ArrayRef<std::string> targets);

} // namespace transfold::driver

#endif // TRANSFOLD_COMPILER_DRIVER_OUTPUTOPTIONS_H
