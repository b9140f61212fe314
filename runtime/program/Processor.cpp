// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compares the extensions that a variant was compiled for, by Halide's names,
// with those of the processor. Variants are tried in the program's order, the
// most capable first.

#include "runtime/program/Processor.h"

#include "base/Error.h"
#include "runtime/program/TileState.h"

#include <cstdlib>
#include <vector>

#if defined(__aarch64__) && defined(__linux__)
#include <asm/hwcap.h>
#include <sys/auxv.h>
#endif

namespace transfold::runtime::inline program {

namespace {
/// An instruction set extension: Halide's name, and whether this processor has
/// it.
struct Feature {
  std::string_view name;
  bool isThere;
  /// Requests permission to use it from the operating system, if that is
  /// needed.
  bool (*isGranted)() = nullptr;
};
} // namespace

/// The extensions that Halide targets of this architecture may name. Those that
/// Halide names after processors stand for groups of AVX-512 extensions.
#if defined(__x86_64__)
static std::vector<Feature> knownFeatures() {
  bool skylake =
      __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512cd") &&
      __builtin_cpu_supports("avx512vl") &&
      __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512bw");
  bool cannonlake = skylake && __builtin_cpu_supports("avx512ifma") &&
                    __builtin_cpu_supports("avx512vbmi");
  bool zen4 = cannonlake && __builtin_cpu_supports("avx512vnni") &&
              __builtin_cpu_supports("avx512bf16");
  return {
      {"sse41", __builtin_cpu_supports("sse4.1") != 0},
      {"avx", __builtin_cpu_supports("avx") != 0},
      {"f16c", __builtin_cpu_supports("f16c") != 0},
      {"fma", __builtin_cpu_supports("fma") != 0},
      {"avx2", __builtin_cpu_supports("avx2") != 0},
      {"avx512", __builtin_cpu_supports("avx512f") != 0},
      {"avx512_skylake", skylake},
      {"avx512_cannonlake", cannonlake},
      {"avx512_zen4", zen4},
      {"avx512_zen5", zen4},
      {"avx512_sapphirerapids", zen4 && hasTiles(), isTileStateGranted},
  };
}
#elif defined(__aarch64__) && defined(__linux__)
// On ARM, user programs cannot query the processor; Linux reports its features.
static std::vector<Feature> knownFeatures() {
  const unsigned long first = ::getauxval(AT_HWCAP),
                      second = ::getauxval(AT_HWCAP2);
  return {
      {"arm_dot_prod", (first & HWCAP_ASIMDDP) != 0},
      {"arm_fp16", (first & HWCAP_ASIMDHP) != 0},
      // A version of the architecture; the compiled code uses only its bfloat16
      // products and its int8 matrix products
      // (compiler/kernels/schedule/choose/Target.cpp).
      {"armv86a", (second & HWCAP2_BF16) != 0 && (second & HWCAP2_I8MM) != 0},
      {"sve", (first & HWCAP_SVE) != 0},
      {"sve2", (second & HWCAP2_SVE2) != 0},
  };
}
#else
static std::vector<Feature> knownFeatures() { return {}; }
#endif

/// Whether this processor has the extension that Halide calls `feature`.
/// Components that do not name instructions (x86, 64, linux, tune_…) count as
/// present.
static bool has(std::string_view feature) {
  static const std::vector<Feature> known = knownFeatures();
  for (auto [name, isThere, isGranted] : known)
    if (name == feature)
      return isThere && (!isGranted || isGranted());
  return true;
}

std::string lacking(std::string_view target) {
  while (!target.empty()) {
    size_t end = std::min(target.find('-'), target.size());
    if (!has(target.substr(0, end)))
      return std::string(target.substr(0, end));
    target.remove_prefix(std::min(end + 1, target.size()));
  }
  return "";
}

const transfold_variant &
chooseVariant(std::span<const transfold_variant> variants) {
  std::vector<std::string_view> names;
  for (const transfold_variant &variant : variants)
    names.push_back(variant.name);
  const char *wanted = std::getenv("TRANSFOLD_CPU");
  if (wanted && *wanted) {
    for (const transfold_variant &variant : variants) {
      if (variant.name != std::string_view(wanted))
        continue;
      if (std::string feature = lacking(variant.target); !feature.empty())
        fail("TRANSFOLD_CPU={}: this processor has no {}", wanted, feature);
      return variant;
    }
    fail("TRANSFOLD_CPU={}: the program has kernels for {}", wanted,
         fmt::join(names, ", "));
  }
  std::string feature;
  for (const transfold_variant &variant : variants) {
    feature = lacking(variant.target);
    if (feature.empty())
      return variant;
  }
  fail("the program has kernels for {}; this processor lacks {}. Compile the "
       "model on it, with --target=host",
       fmt::join(names, ", "), feature);
}

} // namespace transfold::runtime::inline program
