// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/kernels/schedule/Target.h"

#include <Halide.h>

#include <stdexcept>

namespace transfold::kernels {

// All that is known of x86-64 processors since 2013, since 2017, and of those
// that multiply in bfloat16 (Zen 4, Sapphire Rapids).
static const char *const avx2 = "avx-avx2-f16c-fma-sse41";
static const char *const avx512 =
    "avx-avx2-avx512-avx512_skylake-f16c-fma-sse41";

static const char *const avx512Bf16 =
    "avx-avx2-avx512-avx512_cannonlake-avx512_skylake-avx512_zen4-f16c-fma-"
    "sse41";

static Machine describe(const Halide::Target &target) {
  Machine machine;
  machine.target = target.to_string();
  machine.vector = target.natural_vector_size<float>();
  bool isX86 = target.arch == Halide::Target::X86;
  bool hasAvx512 = target.has_feature(Halide::Target::AVX512) ||
                   target.has_feature(Halide::Target::AVX512_Skylake);
  bool hasBf16 = target.has_feature(Halide::Target::AVX512_Zen4) ||
                 target.has_feature(Halide::Target::AVX512_Zen5) ||
                 target.has_feature(Halide::Target::AVX512_SapphireRapids);
  machine.registers = !isX86 || hasAvx512 ? 32 : 16;
  machine.dot = hasBf16 ? 2 : 1;
  machine.isGpu = target.has_gpu_feature();
  machine.name = target.has_feature(Halide::Target::OpenCL) ? "opencl"
                 : target.has_feature(Halide::Target::CUDA) ? "cuda"
                 : hasBf16                                  ? "avx512_bf16"
                 : hasAvx512                                ? "avx512"
                 : target.has_feature(Halide::Target::AVX2) ? "avx2"
                                                            : machine.target;
  return machine;
}

std::string defaultTarget() {
  Halide::Target host = Halide::get_host_target();
  return host.arch == Halide::Target::X86 && host.bits == 64 ? "x86-64"
                                                             : "host";
}

std::vector<Machine> describeMachines(const std::string &name) {
  if (name == "host")
    return {describe(Halide::get_host_target())};
  if (name == "x86-64" || name == "avx2" || name == "avx512" ||
      name == "avx512_bf16") {
    // x86-64-linux, or whatever runs here.
    Halide::Target host = Halide::get_host_target();
    std::string base =
        Halide::Target(host.os, Halide::Target::X86, 64).to_string() + "-";
    std::vector<Machine> machines;
    for (auto [own, features] :
         {std::pair("avx512_bf16", avx512Bf16), std::pair("avx512", avx512),
          std::pair("avx2", avx2)})
      if (name == "x86-64" || name == own)
        machines.push_back(describe(Halide::Target(base + features)));
    return machines;
  }
  if (name == "opencl" || name == "cuda") {
    // The processor only starts kernels: nothing is asked of it. PTX of this
    // capability runs on all GPUs since 2017. Functions of positions are
    // computed in double.
    Halide::Target host = Halide::get_host_target();
    std::string base = Halide::Target(host.os, host.arch, 64).to_string() + "-";
    return {describe(
        Halide::Target(base + (name == "cuda" ? "cuda-cuda_capability_70"
                                              : "opencl-cl_doubles")))};
  }
  if (!Halide::Target::validate_target_string(name))
    throw std::runtime_error(
        "'" + name +
        "' is not a target; there are x86-64, "
        "avx512_bf16, avx512, avx2, host, opencl, cuda, and all that Halide "
        "knows");
  return {describe(Halide::Target(name))};
}

} // namespace transfold::kernels
