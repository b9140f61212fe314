// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compiles kernels with Halide: the algorithm with its schedule, and lowering
// passes of our own.

#include "compiler/kernels/build/Backend.h"

#include "compiler/kernels/algorithm/product/Roundings.h"
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
#include "compiler/kernels/build/tiles/FragmentCalls.h"
#include "compiler/kernels/build/tiles/FragmentInstructions.h"
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

#include <cstdlib>
#include <mutex>
#include <sstream>

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
} // namespace

// Makes Halide report errors and warnings as exceptions.
static void installReporter() {
  static ThrowingReporter reporter;
  static std::once_flag installed;
  std::call_once(installed, [] {
    Halide::set_custom_compile_time_error_reporter(&reporter);
  });
}

// Disables the SLP vectorizer of LLVM, which Halide enables: it finds the
// addresses of a tile's rows, computes them as one vector and extracts each
// again in every iteration of the sum. With that and two prefetches the
// registers no longer sufficed; measured on Zen 5, a tile of floats took 1.7
// times as long. Halide reads such options from its environment, once.
static void keepAddressesApart() {
  ::setenv("HL_LLVM_ARGS", "-vectorize-slp=false", /*replace=*/1);
}

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
  Halide::Pipeline pipeline(algorithm.results());
  const auto &sums = algorithm.tileSums;
  const bool isOfFragments =
      sums && sums->kind == Algorithm::TileSums::Fragments;
  if (isOfFragments)
    pipeline.add_custom_lowering_pass(new FragmentCalls);
  addDevicePasses(pipeline, target);
  if (sums && !isOfFragments)
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
      kernel.getScheduleNumber(xf::ScheduleParameter::Ahead))
    module = withBlockSizes(module);
  if (isOfFragments)
    module = withFragmentInstructions(withBlockSizes(module));
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

static bool supports(xf::KernelOp) { return true; }

static void define(xf::KernelOp kernel) {
  installReporter();
  scheduleKernel(kernel);
}

static std::string buildKernel(xf::KernelOp kernel,
                               const BuildOptions &options) {
  installReporter();
  keepAddressesApart();
  return build(kernel, options);
}

/// Halide's runtime functions, and the helpers of each device.
static std::vector<SupportObject>
supportOf(ArrayRef<std::string> deviceTargets) {
  if (deviceTargets.empty())
    return {};
  auto inProcess = [](auto work) {
    return [work] {
      installReporter();
      keepAddressesApart();
      return work();
    };
  };
  const std::vector<std::string> targets(deviceTargets);
  std::vector<SupportObject> objects;
  objects.push_back({"Halide's runtime", llvm::join(targets, ", "),
                     "device-runtime", /*isOwn=*/false,
                     inProcess([targets] { return buildRuntime(targets); })});
  for (const std::string &target : targets)
    for (const Helper &helper : helpers)
      objects.push_back({std::string("the kernel '") + helper.name + "'",
                         target, symbolOfHelper(helper.name, target),
                         /*isOwn=*/true, inProcess([&helper, target] {
                           return buildHelper(helper, target);
                         })});
  return objects;
}

const Backend kernels::halideBackend = {"halide", supports, define, buildKernel,
                                        supportOf};
