// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/driver/output/CachedKernels.h"

#include "base/text/Messages.h"
#include "compiler/driver/cli/Diagnostics.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

using namespace mlir;
using namespace transfold;
using namespace transfold::driver;

std::vector<kernels::BuiltKernel>
CachedKernels::build(ArrayRef<ModuleOp> modules, kernels::KernelForm form) {
  progress.begin("kernels");
  kernels::BuildOptions build;
  build.form = form;
  build.threads = options.threads;
  build.cache = used();
  build.progress = [&](llvm::StringRef kernel, size_t done, size_t total) {
    progress.step(done, total, kernel.str());
  };
  std::vector<kernels::BuiltKernel> all;
  for (ModuleOp module : modules) {
    Diagnostics diagnostics(*module.getContext());
    auto built = kernels::buildKernels(module, build);
    if (failed(built))
      diagnostics.raise("a kernel could not be compiled");
    std::ranges::move(*built, std::back_inserter(all));
  }
  if (build.cache)
    cache.trim(kernelCacheLimit());
  size_t bytes = 0, fromCache = 0;
  for (const auto &kernel : all) {
    bytes += kernel.bytes.size();
    fromCache += kernel.fromCache;
  }
  progress.end(fmt::format(
      "{} kernels, {} KiB{}", all.size(), bytes / 1024,
      fromCache ? fmt::format(", {} from the cache", fromCache) : ""));
  if (std::string problem = cache.problem(); !problem.empty())
    warn(fmt::format("{}: kernels cannot be cached there: {}", cache.folder(),
                     problem));
  return all;
}
