// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Twelve independent chains of multiply-adds on registers: more than latency
// times the number of units on any machine so far, and enough registers are
// left for the other operands. Written in assembly, since the compiler would
// simplify the chains.

#include "runtime/commands/bench/Peak.h"

#include <algorithm>
#include <chrono>
#include <cstring>

#ifdef __x86_64__
#include <immintrin.h>
#endif

namespace transfold::runtime::inline commands {

double now() {
  return std::chrono::duration<double>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

#ifdef __x86_64__

namespace {

constexpr int chains = 12;
constexpr long steps = 200000;

#define CHAIN(i) asm volatile(STEP : "+v"(x[i]), "=&v"(sum) : "v"(a), "v"(b));
#define CHAINS                                                                 \
  CHAIN(0)                                                                     \
  CHAIN(1)                                                                     \
  CHAIN(2)                                                                     \
  CHAIN(3)                                                                     \
  CHAIN(4)                                                                     \
  CHAIN(5)                                                                     \
  CHAIN(6)                                                                     \
  CHAIN(7) CHAIN(8) CHAIN(9) CHAIN(10) CHAIN(11)

// 0x3c in each byte is 0.0115 as float32 and as bfloat16: nothing overflows or
// becomes denormal, which would be slow.
#define RUN(name, features, Vector)                                            \
  __attribute__((target(features))) void name() {                              \
    Vector x[chains], a, b, sum;                                               \
    std::memset(x, 0x3c, sizeof x);                                            \
    a = b = x[0];                                                              \
    for (long step = 0; step < steps; ++step) {                                \
      CHAINS                                                                   \
    }                                                                          \
  }

// x = x · a + b
#define STEP "vfmadd213ps %3, %2, %0"
RUN(runFloats, "avx2,fma", __m256)
RUN(runWideFloats, "avx512f", __m512)
#undef STEP
// Products of pairs of bfloat16, accumulated in float32.
#define STEP "vdpbf16ps %3, %2, %0"
RUN(runBfloats, "avx512f,avx512bf16", __m512)
#undef STEP
// Products of four bytes, accumulated in 32 bits.
#define STEP "vpdpbusd %3, %2, %0"
RUN(runVnni, "avx512f,avx512vnni", __m512)
#undef STEP
// Products of two bytes, accumulated in 16 bits by a second instruction.
#define STEP "vpmaddubsw %3, %2, %1\n\tvpaddw %1, %0, %0"
RUN(runBytes, "avx2", __m256)
RUN(runWideBytes, "avx512f,avx512bw", __m512)
#undef STEP

/// A loop, and the number of multiplications in one step of a chain.
struct Loop {
  void (*run)() = nullptr;
  double numbers = 0;
};

/// The fastest loop for this processor; empty if there is none.
Loop loopFor(Products products) {
  if (products == Products::Bfloat16 && __builtin_cpu_supports("avx512bf16"))
    return {runBfloats, 32};
  if (products == Products::Int8 && __builtin_cpu_supports("avx512vnni"))
    return {runVnni, 64};
  if (products == Products::Int8 && __builtin_cpu_supports("avx512bw"))
    return {runWideBytes, 64};
  if (products == Products::Int8 && __builtin_cpu_supports("avx2"))
    return {runBytes, 32};
  if (__builtin_cpu_supports("avx512f"))
    return {runWideFloats, 16};
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
    return {runFloats, 8};
  return {};
}

} // namespace

double measurePeak(Products products) {
  Loop loop = loopFor(products);
  if (!loop.run)
    return 0;
  double best = 0;
  for (int attempt = 0; attempt < 20; ++attempt) {
    double start = now();
    loop.run();
    best = std::max(best, 2 * loop.numbers * chains * steps / (now() - start));
  }
  return best;
}

#else

double measurePeak(Products) { return 0; }

#endif

} // namespace transfold::runtime::inline commands
