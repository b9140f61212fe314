// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Refuses combinations of options before any work is done.

#include "compiler/driver/output/OutputOptions.h"

#include "compiler/host/plan/MemorySpace.h"
#include "compiler/kernels/schedule/choose/Target.h"
#include "compiler/link/Bundle.h"

#include <fmt/format.h>

#include <stdexcept>

using namespace transfold;
using namespace transfold::driver;

/// Refuses --static where the result would not be static.
static void checkStatic(const CompileOptions &options,
                        llvm::ArrayRef<std::string> targets) {
  if (options.emit == Stage::Library)
    throw std::runtime_error(
        "--static is for executables: a library shares the C library of the "
        "program that loads it; it already contains everything else");
  if (options.emit != Stage::Executable && options.emit != Stage::Package)
    throw std::runtime_error("--static is for executables: --emit=exe or deb");
  for (const std::string &target : targets)
    if (!host::isHost(host::memorySpaceOf(target)))
      throw std::runtime_error(fmt::format(
          "--static: programs with --target={} load the driver of the GPU when "
          "they start, which a static program cannot",
          target));
  link::staticCLibrary(kernels::crossTripleOf(targets.back()));
}

// The kernels are correct on the only driver that was tried, Mesa's llvmpipe,
// but Halide's Vulkan memory management loses blocks: docs/gpu.md.
static void checkVulkan(const CompileOptions &options) {
  if (options.emit == Stage::Assembly)
    throw std::runtime_error("--emit=asm: SPIR-V is not text; --emit=obj "
                             "writes it into the objects of the kernels");
  if (options.emit >= Stage::Executable)
    throw std::runtime_error(
        "--target=vulkan makes kernels (--emit=obj) but no programs yet: with "
        "Vulkan, Halide loses device memory that a program keeps; "
        "--target=opencl and cuda make programs for GPUs");
}

void driver::checkOutputOptions(const CompileOptions &options,
                                llvm::ArrayRef<std::string> targets) {
  if (options.emit == Stage::Library && options.embedWeights)
    throw std::runtime_error("--embed-weights is for executables: the weights "
                             "of a library are in a file beside it");
  for (const std::string &target : targets)
    if (host::memorySpaceOf(target) == "vulkan")
      checkVulkan(options);
  if (options.withoutWeights &&
      (options.embedWeights || options.emit > Stage::Executable))
    throw std::runtime_error(
        "--without-weights is for executables that are only measured, not with "
        "--embed-weights, --emit=lib or --emit=deb");
  if (options.isStatic)
    checkStatic(options, targets);
  if (!options.depfile.empty() && options.emit < Stage::Executable &&
      (options.output.empty() || options.output == "-"))
    throw std::runtime_error("--depfile lists the files that an output depends "
                             "on; give the output's name with -o");
  if (!options.sbom.empty() && options.emit < Stage::Executable)
    throw std::runtime_error(
        "--sbom is for programs and libraries: --emit=exe, lib or deb");
  if (options.emit != Stage::Package &&
      (!options.debName.empty() || !options.debVersion.empty()))
    throw std::runtime_error(
        "--deb-name and --deb-version are for packages: --emit=deb");
}
