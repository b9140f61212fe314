// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The processors and devices that have names, and what Halide's features say
// about them.

#include "compiler/kernels/schedule/choose/Target.h"

#include <Halide.h>

#include <stdexcept>

using Halide::Target;

namespace transfold::kernels {

namespace {
/// Processors that have a name, for each kind the most capable first. A program
/// for the kind has kernels for all of them.
struct Processor {
  const char *name, *kind, *features;
};
} // namespace

// All features of x86-64 processors since 2013, since 2017, of those that
// multiply bfloat16 (Zen 4), and of those that also multiply matrices of bytes
// (Sapphire Rapids, since 2023); of 64-bit ARM processors, of those since 2018
// that add up products of bytes, and of those since 2020 that do so with
// products of bfloat16 and multiply small matrices of bytes (i8mm), which came
// together. Halide 21 has no separate features for these two: we use that of
// the architecture version that has both (build/llvm/ArmFeatures.cpp restricts
// the instructions that code may use, runtime/program/Processor.cpp lists what
// a processor must have).
static const Processor processors[] = {
    {"amx", "x86-64",
     "avx-avx2-avx512-avx512_cannonlake-avx512_sapphirerapids-avx512_skylake-"
     "avx512_zen4-f16c-fma-sse41"},
    {"avx512_bf16", "x86-64",
     "avx-avx2-avx512-avx512_cannonlake-avx512_skylake-avx512_zen4-f16c-fma-"
     "sse41"},
    {"avx512", "x86-64", "avx-avx2-avx512-avx512_skylake-f16c-fma-sse41"},
    {"avx2", "x86-64", "avx-avx2-f16c-fma-sse41"},
    {"neon_bf16", "arm-64-linux", "arm_dot_prod-armv86a"},
    {"neon_dot", "arm-64-linux", "arm_dot_prod"},
    {"neon", "arm-64-linux", ""},
};

// Devices must support double, in which functions of positions are computed,
// and values of 8 and 16 bits, which are read as such. PTX of capability 7.0
// runs on all GPUs since 2017, that of 8.0, which multiplies matrices of
// bfloat16, on those since 2020: the driver compiles it for the GPU of the
// machine, and runtime/program/Alternatives.cpp knows what it requires.
struct Device {
  const char *name, *features;
};
static const Device devices[] = {
    {"opencl", "opencl-cl_doubles"},
    {"cuda_80", "cuda-cuda_capability_80"},
    {"cuda", "cuda-cuda_capability_70"},
    {"vulkan", "vk_float64-vk_int16-vk_int64-vk_int8-vk_v13-vulkan"},
};

// The properties of a Halide target.
static Machine describe(const Target &target) {
  Machine machine;
  machine.target = target.to_string();
  machine.vector = target.natural_vector_size<float>();
  const bool isX86 = target.arch == Target::X86,
             isArm = target.arch == Target::ARM && target.bits == 64,
             hasAvx512 = target.features_any_of(
                 {Target::AVX512, Target::AVX512_Skylake}),
             hasVnni = target.features_any_of({Target::AVX512_Zen4,
                                               Target::AVX512_Zen5,
                                               Target::AVX512_SapphireRapids}),
             hasAmx = target.has_feature(Target::AVX512_SapphireRapids),
             hasBf16 =
                 hasVnni || (isArm && target.has_feature(Target::ARMv86a)),
             hasSdot = target.has_feature(Target::ARMDotProd),
             hasTensorCores = target.has_feature(Target::CUDACapability80);
  machine.registers = !isX86 || hasAvx512 ? 32 : 16;
  machine.dot = hasBf16 ? 2 : 1;
  machine.addsBytes = hasVnni || hasSdot;
  machine.takesUnsignedBytes = hasVnni;
  machine.tileRows = hasAmx ? 16 : isArm && hasBf16 ? 2 : 0;
  machine.multipliesTilesOfPairs = hasAmx || hasTensorCores;
  machine.isGpu = target.has_gpu_feature();
  machine.name = target.has_feature(Target::OpenCL)   ? "opencl"
                 : hasTensorCores                     ? "cuda_80"
                 : target.has_feature(Target::CUDA)   ? "cuda"
                 : target.has_feature(Target::Vulkan) ? "vulkan"
                 : hasAmx                             ? "amx"
                 : hasVnni                            ? "avx512_bf16"
                 : hasAvx512                          ? "avx512"
                 : target.has_feature(Target::AVX2)   ? "avx2"
                 : !isArm || machine.vector != 4      ? machine.target
                 : hasBf16                            ? "neon_bf16"
                 : hasSdot                            ? "neon_dot"
                                                      : "neon";
  return machine;
}

/// Programs are made for all processors of the machine's kind, not only for
/// this one.
std::string defaultTarget() {
  const Target host = Halide::get_host_target();
  const bool isX86 = host.arch == Target::X86 && host.bits == 64,
             isArm = host.arch == Target::ARM && host.bits == 64 &&
                     host.os == Target::Linux;
  return isX86 ? "x86-64" : isArm ? "arm-64-linux" : "host";
}

// x86-64-linux, or x86-64 with the operating system of this machine;
// arm-64-linux.
static std::string baseOf(const std::string &kind) {
  if (kind != "x86-64")
    return kind;
  return Target(Halide::get_host_target().os, Target::X86, 64).to_string();
}

// The processors with this name, or of this kind.
static std::vector<Machine> describeProcessors(const std::string &name) {
  std::vector<Machine> machines;
  for (const auto &[own, kind, features] : processors)
    if (name == kind || name == own)
      machines.push_back(describe(Target(
          baseOf(kind) + (*features ? std::string("-") + features : ""))));
  return machines;
}

/// Names of the tables come before those of Halide.
std::vector<Machine> describeMachines(const std::string &name) {
  if (name == "host")
    return {describe(Halide::get_host_target())};
  if (auto machines = describeProcessors(name); !machines.empty())
    return machines;
  for (const auto &[own, features] : devices)
    if (name == own) {
      // The processor only launches kernels, so that no features are required
      // of it.
      const Target host = Halide::get_host_target();
      return {describe(
          Target(Target(host.os, host.arch, 64).to_string() + "-" + features))};
    }
  if (!Target::validate_target_string(name))
    throw std::runtime_error(
        "'" + name +
        "' is not a target; expected one of x86-64, amx, avx512_bf16, avx512, "
        "avx2, arm-64-linux, neon_bf16, neon_dot, neon, host, opencl, cuda_80, "
        "cuda, vulkan, or a target of Halide");
  return {describe(Target(name))};
}

/// The table lists the processors of a kind from the most capable on.
std::vector<Machine> andLessAble(const Machine &machine) {
  std::vector<Machine> machines = {machine};
  const char *kind = nullptr;
  for (const auto &[own, ofKind, features] : processors) {
    if (kind && std::string(kind) == ofKind)
      machines.push_back(describeProcessors(own).front());
    else if (own == machine.name)
      kind = ofKind;
  }
  return machines;
}

/// A runtime exists for this machine's kind and for 64-bit ARM on Linux only.
std::string crossTripleOf(const std::string &name) {
  const Target target(describeMachines(name).front().target),
      host = Halide::get_host_target();
  if (target.arch == host.arch && target.bits == host.bits &&
      target.os == host.os)
    return "";
  if (target.arch == Target::ARM && target.bits == 64 &&
      target.os == Target::Linux)
    return "aarch64-linux-gnu";
  throw std::runtime_error(
      "--target=" + name +
      ": a program needs a runtime, which exists for this kind of machine and "
      "for arm-64-linux; --emit=asm prints kernels for all targets");
}

} // namespace transfold::kernels
