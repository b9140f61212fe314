// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compiles the kernels of a module, each by its backend and in a process of its
// own. Backends report errors by exceptions, MLIR by diagnostics: this file
// translates between them.

#include "compiler/kernels/build/BuildKernels.h"

#include "base/files/Temporary.h"
#include "compiler/kernels/build/Backend.h"
#include "compiler/kernels/build/BuildAlone.h"
#include "compiler/kernels/build/KernelCache.h"

#include <Halide.h>

#include <atomic>
#include <mutex>
#include <thread>

using namespace mlir;
using namespace transfold;
using namespace transfold::kernels;

ArrayRef<const Backend *> kernels::backends() {
  static const Backend *const all[] = {&halideBackend};
  return all;
}

const Backend &kernels::backendOf(xf::KernelOp kernel) {
  for (const Backend *backend : backends())
    if (backend->supports(kernel))
      return *backend;
  llvm_unreachable("Halide supports every kernel");
}

// Takes a kernel from the cache, or builds and stores it.
static Outcome buildOne(const std::string &key, KernelCache *cache,
                        BuildWork work) {
  if (cache)
    if (auto found = cache->find(key))
      return {std::move(*found), "", /*fromCache=*/true};
  Outcome outcome = buildAlone(work);
  if (cache && outcome.refusal.empty())
    cache->store(key, outcome.bytes);
  return outcome;
}

/// The targets that are devices, one for each module that has such kernels.
static std::vector<std::string> deviceTargets(ArrayRef<ModuleOp> modules) {
  std::vector<std::string> targets;
  for (ModuleOp module : modules)
    for (auto kernel : module.getOps<xf::KernelOp>())
      if (std::string target = kernel.getTarget().value_or("").str();
          Halide::Target(target).has_gpu_feature()) {
        targets.push_back(target);
        break;
      }
  return targets;
}

std::vector<DeviceObject>
kernels::buildDeviceObjects(ArrayRef<ModuleOp> modules, KernelCache *cache) {
  const std::vector<std::string> targets = deviceTargets(modules);
  std::vector<DeviceObject> objects;
  for (const Backend *backend : backends())
    for (const SupportObject &object : backend->support(targets)) {
      Outcome outcome =
          buildOne(cacheKey(object.name + " for " + object.target), cache,
                   [&] { return object.build(); });
      if (!outcome.refusal.empty())
        throw std::runtime_error(object.name + " for " + object.target +
                                 " cannot be built: " + outcome.refusal);
      objects.push_back(
          {object.symbol, std::move(outcome.bytes), object.isOwn});
    }
  return objects;
}

// Returns the kernels that were built; reports each failure as an error at the
// kernel.
static FailureOr<std::vector<BuiltKernel>>
report(ArrayRef<xf::KernelOp> kernels, MutableArrayRef<Outcome> outcomes) {
  std::vector<BuiltKernel> built;
  bool refused = false;
  for (auto [kernelOp, outcome] : llvm::zip(kernels, outcomes)) {
    xf::KernelOp kernel = kernelOp;
    if (!outcome.refusal.empty()) {
      kernel.emitError("internal error: cannot compile this equation")
              .attachNote()
          << "please report it with kernel @" << kernel.getName() << ": "
          << outcome.refusal;
      refused = true;
    }
    built.push_back(
        {kernel.getName().str(), std::move(outcome.bytes), outcome.fromCache});
  }
  if (refused)
    return failure();
  return built;
}

LogicalResult kernels::defineKernels(ModuleOp module) {
  SmallVector<xf::KernelOp> kernels(module.getOps<xf::KernelOp>());
  std::vector<Outcome> outcomes;
  for (xf::KernelOp kernel : kernels)
    outcomes.push_back(tryBuild([&] {
      backendOf(kernel).define(kernel);
      return std::string();
    }));
  return success(succeeded(report(kernels, outcomes)));
}

FailureOr<std::vector<BuiltKernel>>
kernels::buildKernels(ModuleOp module, const BuildOptions &options) {
  SmallVector<xf::KernelOp> kernels(module.getOps<xf::KernelOp>());
  std::vector<Outcome> outcomes(kernels.size());
  // Each kernel passes through a temporary file. Without a folder for them this
  // throws Error, which is the user's to mend; in a kernel's own process it
  // would look like an error of the compiler.
  const TemporaryFolder canBeMade;
  // Computed here and not in the threads: a process must not be forked while
  // the module's context is locked.
  std::vector<std::string> keys(kernels.size());
  if (options.cache)
    for (auto [key, kernel] : llvm::zip(keys, kernels))
      key = cacheKey(kernel, options);
  std::atomic<size_t> next = 0;
  std::mutex mutex;
  size_t done = 0;
  auto work = [&] {
    for (size_t i; (i = next++) < kernels.size();) {
      outcomes[i] = buildOne(keys[i], options.cache, [&] {
        return backendOf(kernels[i]).build(kernels[i], options);
      });
      if (options.progress) {
        std::lock_guard lock(mutex);
        options.progress(kernels[i].getName(), ++done, kernels.size());
      }
    }
  };
  unsigned threads = options.threads
                         ? options.threads
                         : std::max(1u, std::thread::hardware_concurrency());
  {
    std::vector<std::jthread> workers;
    for (size_t i = 1; i < std::min<size_t>(threads, kernels.size()); ++i)
      workers.emplace_back(work);
    work();
  }
  return report(kernels, outcomes);
}
