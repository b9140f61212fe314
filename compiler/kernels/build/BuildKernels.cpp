// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Halide reports errors by exceptions, MLIR by diagnostics: this file
// translates between them. Everything that throws runs inside `tryBuild`.

#include "compiler/kernels/build/BuildKernels.h"
#include "compiler/kernels/algorithm/product/Roundings.h"
#include "compiler/kernels/build/KernelCache.h"
#include "compiler/kernels/build/KernelSymbol.h"
#include "compiler/kernels/build/halide/BlockSizes.h"
#include "compiler/kernels/build/halide/DoubleFunctions.h"
#include "compiler/kernels/build/halide/FullFenceBarriers.h"
#include "compiler/kernels/build/halide/NonStrictComparisons.h"
#include "compiler/kernels/build/halide/SkipEmptyBlocks.h"
#include "compiler/kernels/build/halide/ThreadLocalArrays.h"
#include "compiler/kernels/build/llvm/FusedProducts.h"
#include "compiler/kernels/build/loads/LoadsAhead.h"
#include "compiler/kernels/build/loads/LoadsFirst.h"
#include "compiler/kernels/build/loads/PrefetchNextStep.h"
#include "compiler/kernels/build/loads/PrefetchNextTask.h"
#include "compiler/kernels/build/loads/WideLoads.h"
#include "compiler/kernels/build/tiles/TileCalls.h"
#include "compiler/kernels/schedule/ScheduleKernel.h"
#include "compiler/kernels/schedule/Schedules.h"
#include "compiler/kernels/schedule/choose/Target.h"

#include <llvm/ADT/ScopeExit.h>
#include <llvm/ADT/StringExtras.h>
#include <llvm/Support/FileSystem.h>
#include <llvm/Support/FileUtilities.h>
#include <llvm/Support/MemoryBuffer.h>
#include <llvm/Support/Path.h>
#include <llvm/Support/Signals.h>

#include <atomic>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <mutex>
#include <sstream>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using namespace mlir;
using namespace transfold;
using namespace transfold::kernels;

namespace {
/// Halide warns about schedules that have not the intended effect. Here such
/// warnings are errors.
struct ThrowingReporter : Halide::CompileTimeErrorReporter {
  void warning(const char *message) override {
    throw std::runtime_error(StringRef(message).rtrim().str());
  }
  [[noreturn]] void error(const char *message) override {
    throw std::runtime_error(StringRef(message).rtrim().str());
  }
};

// The result of building one kernel: its bytes, or the reason for a failure.
struct Outcome {
  std::string bytes;
  std::string refusal;
  bool fromCache = false;
};
} // namespace

// Halide's target, without a runtime and, unless `checks`, without checks.
static Halide::Target targetOf(const std::string &name, bool checks) {
  Halide::Target target(name);
  target.set_feature(Halide::Target::NoRuntime);
  if (!checks)
    target.set_features(
        {Halide::Target::NoAsserts, Halide::Target::NoBoundsQuery});
  return target;
}

// The bytes that `write` writes to a file, for outputs that Halide writes only
// to files.
static std::string
throughFile(function_ref<void(const std::string &path)> write) {
  SmallString<128> path;
  if (std::error_code code =
          llvm::sys::fs::createTemporaryFile("transfold-kernel", "out", path))
    throw std::runtime_error("cannot create a temporary file: " +
                             code.message());
  llvm::sys::RemoveFileOnSignal(path);
  llvm::FileRemover remover(path);
  auto done =
      llvm::make_scope_exit([&] { llvm::sys::DontRemoveFileOnSignal(path); });
  write(path.str().str());
  auto buffer = llvm::MemoryBuffer::getFile(path);
  if (!buffer)
    throw std::runtime_error("cannot read the output: " +
                             buffer.getError().message());
  return (*buffer)->getBuffer().str();
}

static std::string throughFile(Halide::Module &module,
                               Halide::OutputFileType type) {
  return throughFile(
      [&](const std::string &path) { module.compile({{type, path}}); });
}

/// Adds the lowering passes for kernels of a device.
static void addDevicePasses(Halide::Pipeline &pipeline,
                            const Halide::Target &target) {
  if (target.has_feature(Halide::Target::OpenCL))
    pipeline.add_custom_lowering_pass(new NonStrictComparisons);
  if (target.has_feature(Halide::Target::Vulkan))
    pipeline.add_custom_lowering_pass(new DoubleFunctions);
  if (target.has_gpu_feature()) {
    pipeline.add_custom_lowering_pass(new ThreadLocalArrays);
    pipeline.add_custom_lowering_pass(new SkipEmptyBlocks);
    pipeline.add_custom_lowering_pass(new PrefetchNextStep);
    pipeline.add_custom_lowering_pass(new FullFenceBarriers);
    if (target.has_feature(Halide::Target::CUDA)) {
      pipeline.add_custom_lowering_pass(new LoadsFirst);
      pipeline.add_custom_lowering_pass(new WideLoads);
    }
  }
}

// Builds a kernel in the form of the options; throws std::exception.
static std::string build(xf::KernelOp kernel, const BuildOptions &options) {
  Algorithm algorithm = scheduleKernel(kernel);
  Halide::Target target = targetOf(kernel.getTarget()->str(), options.checks);
  Halide::Pipeline pipeline(algorithm.result);
  addDevicePasses(pipeline, target);
  if (const auto &sums = algorithm.tileSums)
    pipeline.add_custom_lowering_pass(new TileCalls(*sums));
  if (const auto &streamed = algorithm.streamed)
    pipeline.add_custom_lowering_pass(
        new LoadsAhead(streamed->buffer, streamed->ahead));
  if (const auto &own = algorithm.readByTasks)
    pipeline.add_custom_lowering_pass(new PrefetchNextTask(*own));
  Halide::Module module = pipeline.compile_to_module(
      algorithm.inferArguments(), symbolOf(kernel.getName()), target,
      Halide::LinkageType::External);
  // Loads ahead of sums need the registers that a block of few threads can
  // have.
  if (target.has_feature(Halide::Target::CUDA) &&
      kernel.getScheduleAttr().contains("ahead"))
    module = withBlockSizes(module);
  if (hasFixedRoundings(module.target()) &&
      options.form != KernelForm::Statement)
    return emitKernel(throughFile(module, Halide::OutputFileType::bitcode),
                      options.form,
                      {options.scalarTiles, algorithm.flushesDenormals});
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
    // The code that runs on the GPU, PTX or OpenCL C, and not the code that
    // launches it.
    return throughFile(module, module.target().has_gpu_feature()
                                   ? Halide::OutputFileType::device_code
                                   : Halide::OutputFileType::assembly);
  }
  llvm_unreachable("a form of output without a case");
}

using Work = function_ref<std::string()>;

// Runs `work`, and turns an exception into an outcome.
static Outcome tryBuild(Work work) {
  Outcome outcome;
  try {
    outcome.bytes = work();
  } catch (const std::exception &error) {
    outcome.refusal = error.what();
  } catch (...) {
    outcome.refusal = "an unknown exception";
  }
  return outcome;
}

// Writes all bytes to `file`; false if that fails.
static bool writeAll(int file, StringRef bytes) {
  while (!bytes.empty()) {
    ssize_t count = ::write(file, bytes.data(), bytes.size());
    if (count < 0 && errno != EINTR)
      return false;
    bytes = bytes.drop_front(std::max<ssize_t>(count, 0));
  }
  return true;
}

// Fills `bytes` from `file`; false if the other end is closed before.
static bool readAll(int file, char *bytes, size_t size) {
  while (size) {
    ssize_t count = ::read(file, bytes, size);
    if (count == 0 || (count < 0 && errno != EINTR))
      return false;
    bytes += std::max<ssize_t>(count, 0);
    size -= std::max<ssize_t>(count, 0);
  }
  return true;
}

// Disables the SLP vectorizer of LLVM, which Halide enables: it finds the
// addresses of a tile's rows, computes them as one vector and extracts each
// again in every iteration of the sum. With that and two prefetches the
// registers no longer sufficed; measured on Zen 5, a tile of floats took 1.7
// times as long. Halide reads such options from its environment, once.
static void keepAddressesApart() {
  ::setenv("HL_LLVM_ARGS", "-vectorize-slp=false", /*replace=*/1);
}

// Runs `work` in a process of its own. Halide makes names unique with counters
// of the process, shared by all names with the same hash: in one process the
// bytes of a kernel would depend on the kernels that were built before. And if
// LLVM crashes, only the kernel is lost.
static Outcome buildAlone(Work work) {
  struct Header {
    uint64_t bytes, refusal;
  } header;
  int ends[2];
  Outcome outcome;
  pid_t child = ::pipe2(ends, O_CLOEXEC) == 0 ? ::fork() : -1;
  if (child < 0) {
    outcome.refusal =
        std::string("cannot start a process for it: ") + std::strerror(errno);
    return outcome;
  }
  if (child == 0) {
    // Uses nothing that other threads may have locked: no streams, no exit
    // handlers.
    keepAddressesApart();
    Outcome made = tryBuild(work);
    header = {made.bytes.size(), made.refusal.size()};
    bool written =
        writeAll(ends[1],
                 {reinterpret_cast<const char *>(&header), sizeof header}) &&
        writeAll(ends[1], made.bytes) && writeAll(ends[1], made.refusal);
    ::_exit(written ? 0 : 1);
  }
  ::close(ends[1]);
  bool whole =
      readAll(ends[0], reinterpret_cast<char *>(&header), sizeof header);
  if (whole) {
    outcome.bytes.resize(header.bytes);
    outcome.refusal.resize(header.refusal);
    whole = readAll(ends[0], outcome.bytes.data(), header.bytes) &&
            readAll(ends[0], outcome.refusal.data(), header.refusal);
  }
  ::close(ends[0]);
  while (::waitpid(child, nullptr, 0) < 0 && errno == EINTR)
    ;
  if (!whole)
    outcome.refusal = "its compilation crashed";
  return outcome;
}

// Takes a kernel from the cache, or builds and stores it.
static Outcome buildOne(const std::string &key, KernelCache *cache, Work work) {
  if (cache)
    if (auto found = cache->find(key))
      return {std::move(*found), "", /*fromCache=*/true};
  Outcome outcome = buildAlone(work);
  if (cache && outcome.refusal.empty())
    cache->store(key, outcome.bytes);
  return outcome;
}

// Makes Halide report errors and warnings as exceptions.
static void installReporter() {
  static ThrowingReporter reporter;
  static std::once_flag installed;
  std::call_once(installed, [] {
    Halide::set_custom_compile_time_error_reporter(&reporter);
  });
}

// Builds an object that is not a kernel of the module, for the target `target`.
static std::string buildBeside(const std::string &name,
                               const std::string &target, KernelCache *cache,
                               Work work) {
  Outcome outcome = buildOne(cacheKey(name + " for " + target), cache, work);
  if (!outcome.refusal.empty())
    throw std::runtime_error(name + " for " + target +
                             " cannot be built: " + outcome.refusal);
  return std::move(outcome.bytes);
}

namespace {
/// A kernel that no equation contains, by the name of its field in Program.h.
struct Helper {
  const char *name;
  Algorithm (*define)(const std::string &name);
};
} // namespace

static constexpr Helper helpers[] = {
    {"copy_words", copyOfWords},
    {"copy_several", severalCopiesOfWords},
    {"largest", largestOfRows},
};

// Builds the object file of a helper kernel.
static std::string buildHelper(const Helper &helper,
                               const std::string &target) {
  const std::string name = symbolOfHelper(helper.name, target);
  Algorithm algorithm = helper.define(name);
  Halide::Pipeline pipeline(algorithm.result);
  const Halide::Target own = targetOf(target, /*checks=*/false);
  addDevicePasses(pipeline, own);
  Halide::Buffer<uint8_t> object =
      pipeline
          .compile_to_module(algorithm.inferArguments(), name, own,
                             Halide::LinkageType::ExternalPlusArgv)
          .compile_to_buffer();
  return {reinterpret_cast<const char *>(object.data()),
          object.size_in_bytes()};
}

/// Builds Halide's runtime functions for all of the devices.
static std::string buildRuntime(ArrayRef<std::string> targets) {
  Halide::Target all(targets.front());
  for (const std::string &name : targets) {
    const Halide::Target target(name);
    for (int k = 0; k < Halide::Target::FeatureEnd; ++k)
      if (auto feature = static_cast<Halide::Target::Feature>(k);
          target.has_feature(feature))
        all.set_feature(feature);
  }
  return throughFile([&](const std::string &path) {
    Halide::compile_standalone_runtime({{Halide::OutputFileType::object, path}},
                                       all);
  });
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
  if (targets.empty())
    return {};
  installReporter();
  std::vector<DeviceObject> objects;
  objects.push_back({"device-runtime",
                     buildBeside("Halide's runtime", llvm::join(targets, ", "),
                                 cache, [&] { return buildRuntime(targets); }),
                     /*isOwn=*/false});
  for (const std::string &target : targets)
    for (const Helper &helper : helpers)
      objects.push_back(
          {symbolOfHelper(helper.name, target),
           buildBeside(std::string("the kernel '") + helper.name + "'", target,
                       cache, [&] { return buildHelper(helper, target); }),
           /*isOwn=*/true});
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
  installReporter();
  SmallVector<xf::KernelOp> kernels(module.getOps<xf::KernelOp>());
  std::vector<Outcome> outcomes;
  for (xf::KernelOp kernel : kernels)
    outcomes.push_back(tryBuild([&] {
      scheduleKernel(kernel);
      return std::string();
    }));
  return success(succeeded(report(kernels, outcomes)));
}

FailureOr<std::vector<BuiltKernel>>
kernels::buildKernels(ModuleOp module, const BuildOptions &options) {
  installReporter();
  SmallVector<xf::KernelOp> kernels(module.getOps<xf::KernelOp>());
  std::vector<Outcome> outcomes(kernels.size());
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
      outcomes[i] = buildOne(keys[i], options.cache,
                             [&] { return build(kernels[i], options); });
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
