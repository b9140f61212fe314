// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/program/Processor.h"

#include "runtime/Error.h"

#include <cstdlib>
#include <utility>
#include <vector>

namespace transfold::runtime {

/// Whether this processor has what Halide calls `feature`. Words that name no
/// instructions (x86, 64, linux, tune_…) are there.
static bool has(std::string_view feature) {
#ifdef __x86_64__
  auto skylake = [] {
    return __builtin_cpu_supports("avx512f") &&
           __builtin_cpu_supports("avx512cd") &&
           __builtin_cpu_supports("avx512vl") &&
           __builtin_cpu_supports("avx512dq") &&
           __builtin_cpu_supports("avx512bw");
  };
  auto cannonlake = [&] {
    return skylake() && __builtin_cpu_supports("avx512ifma") &&
           __builtin_cpu_supports("avx512vbmi");
  };
  auto zen4 = [&] {
    return cannonlake() && __builtin_cpu_supports("avx512vnni") &&
           __builtin_cpu_supports("avx512bf16");
  };
  const std::pair<std::string_view, bool> known[] = {
      {"sse41", __builtin_cpu_supports("sse4.1")},
      {"avx", __builtin_cpu_supports("avx")},
      {"f16c", __builtin_cpu_supports("f16c")},
      {"fma", __builtin_cpu_supports("fma")},
      {"avx2", __builtin_cpu_supports("avx2")},
      {"avx512", __builtin_cpu_supports("avx512f")},
      {"avx512_skylake", skylake()},
      {"avx512_cannonlake", cannonlake()},
      {"avx512_zen4", zen4()},
      {"avx512_zen5", zen4()},
      {"avx512_sapphirerapids", zen4()},
  };
  for (auto [name, present] : known)
    if (name == feature)
      return present;
#endif
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

} // namespace transfold::runtime
