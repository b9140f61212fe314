// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Halide reports by exceptions, MLIR by diagnostics: this file is the wall
// between them. Everything that throws runs inside `buildOne`.

#include "compiler/kernels/BuildKernels.h"
#include "compiler/kernels/KernelCache.h"
#include "compiler/kernels/LowerRegion.h"

#include <llvm/Support/FileSystem.h>
#include <llvm/Support/FileUtilities.h>
#include <llvm/Support/MemoryBuffer.h>
#include <llvm/Support/Path.h>

#include <atomic>
#include <mutex>
#include <sstream>
#include <thread>

using namespace mlir;
using namespace transfold;
using namespace transfold::kernels;

namespace {
/// Halide's warnings are about schedules that do not do what they say. Here
/// they are errors.
struct ThrowingReporter : Halide::CompileTimeErrorReporter {
  void warning(const char *message) override {
    throw std::runtime_error(StringRef(message).rtrim().str());
  }
  [[noreturn]] void error(const char *message) override {
    throw std::runtime_error(StringRef(message).rtrim().str());
  }
};

struct Outcome {
  std::string bytes;
  std::string refusal;
  bool fromCache = false;
};
} // namespace

static Halide::Target targetOf(xf::KernelOp kernel, bool checks) {
  if (!kernel.getTarget())
    throw std::runtime_error("the kernel has no target");
  Halide::Target target(kernel.getTarget()->str());
  target.set_feature(Halide::Target::NoRuntime);
  if (!checks)
    target.set_features(
        {Halide::Target::NoAsserts, Halide::Target::NoBoundsQuery});
  return target;
}

// What Halide writes only to a file.
static std::string throughFile(Halide::Module &module,
                               Halide::OutputFileType type) {
  SmallString<128> path;
  if (std::error_code code =
          llvm::sys::fs::createTemporaryFile("transfold-kernel", "out", path))
    throw std::runtime_error("no temporary file: " + code.message());
  llvm::FileRemover remover(path);
  module.compile({{type, path.str().str()}});
  auto buffer = llvm::MemoryBuffer::getFile(path);
  if (!buffer)
    throw std::runtime_error("no output: " + buffer.getError().message());
  return (*buffer)->getBuffer().str();
}

static std::string build(xf::KernelOp kernel, const BuildOptions &options) {
  Algorithm algorithm = lowerKernel(kernel);
  Halide::Module module =
      Halide::Pipeline(algorithm.result)
          .compile_to_module(algorithm.inferArguments(), kernel.getName().str(),
                             targetOf(kernel, options.checks),
                             Halide::LinkageType::External);
  switch (options.form) {
  case KernelForm::Object: {
    Halide::Buffer<uint8_t> object = module.compile_to_buffer();
    return {reinterpret_cast<const char *>(object.data()),
            object.size_in_bytes()};
  }
  case KernelForm::Statement: {
    std::ostringstream text;
    for (const Halide::Internal::LoweredFunc &function : module.functions())
      text << function << "\n";
    return text.str();
  }
  case KernelForm::Llvm:
    return throughFile(module, Halide::OutputFileType::llvm_assembly);
  case KernelForm::Assembly:
    return throughFile(module, Halide::OutputFileType::assembly);
  }
  llvm_unreachable("a form of output without a case");
}

static Outcome buildOne(xf::KernelOp kernel, const BuildOptions &options) {
  Outcome outcome;
  std::string key;
  if (options.cache) {
    key = cacheKey(kernel, options);
    if (auto found = options.cache->find(key)) {
      outcome.bytes = std::move(*found);
      outcome.fromCache = true;
      return outcome;
    }
  }
  try {
    outcome.bytes = build(kernel, options);
    if (options.cache)
      options.cache->store(key, outcome.bytes);
  } catch (const std::exception &error) {
    outcome.refusal = error.what();
  } catch (...) {
    outcome.refusal = "an unknown exception";
  }
  return outcome;
}

FailureOr<std::vector<BuiltKernel>>
kernels::buildKernels(ModuleOp module, const BuildOptions &options) {
  static ThrowingReporter reporter;
  static std::once_flag installed;
  std::call_once(installed, [] {
    Halide::set_custom_compile_time_error_reporter(&reporter);
  });

  SmallVector<xf::KernelOp> kernels(module.getOps<xf::KernelOp>());
  std::vector<Outcome> outcomes(kernels.size());
  std::atomic<size_t> next = 0;
  std::mutex mutex;
  size_t done = 0;
  auto work = [&] {
    for (size_t i; (i = next++) < kernels.size();) {
      outcomes[i] = buildOne(kernels[i], options);
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

  std::vector<BuiltKernel> built;
  bool refused = false;
  for (auto [kernel, outcome] : llvm::zip(kernels, outcomes)) {
    if (!outcome.refusal.empty()) {
      kernel.emitError() << "kernel @" << kernel.getName()
                         << " cannot be built: " << outcome.refusal;
      refused = true;
    }
    built.push_back(
        {kernel.getName().str(), std::move(outcome.bytes), outcome.fromCache});
  }
  if (refused)
    return failure();
  return built;
}
