// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Builds the kernels of a program with the user's cache of kernels, and shows
// the progress.

#pragma once

#include "compiler/driver/cli/Progress.h"
#include "compiler/driver/model/Locations.h"
#include "compiler/driver/output/Compile.h"
#include "compiler/kernels/build/BuildKernels.h"
#include "compiler/kernels/build/KernelCache.h"

#include <vector>

namespace transfold::driver {

/// Builds kernels as the options of `compile` say.
class CachedKernels {
public:
  CachedKernels(const CompileOptions &options, Progress &progress)
      : options(options), progress(progress) {}

  /// Returns the kernels of all modules in the given form. Warns if they cannot
  /// be cached. Throws std::exception if a kernel cannot be compiled.
  std::vector<kernels::BuiltKernel>
  build(llvm::ArrayRef<mlir::ModuleOp> modules, kernels::KernelForm form);

  /// The cache; null if it is not used.
  kernels::KernelCache *used() {
    return options.useCache && !cache.folder().empty() ? &cache : nullptr;
  }

private:
  const CompileOptions &options;
  Progress &progress;
  kernels::KernelCache cache{kernelCacheFolder()};
};

} // namespace transfold::driver
