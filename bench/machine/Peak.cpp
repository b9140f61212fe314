// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Fourteen independent chains of multiply-adds on registers: more than latency
// times units on any machine so far. Assembly, or the compiler would shorten
// them.

#include "bench/machine/Peak.h"

#include <algorithm>
#include <chrono>

#ifdef __x86_64__
#include <immintrin.h>
#endif

using namespace transfold;

double bench::now() {
  return std::chrono::duration<double>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

#ifdef __x86_64__
// One step of every chain: x = x · a + b, with 0 < a < 1.
#define CHAIN(i)                                                               \
  asm volatile("vfmadd213ps %2, %1, %0" : "+v"(x[i]) : "v"(a), "v"(b));
#define CHAINS                                                                 \
  CHAIN(0)                                                                     \
  CHAIN(1)                                                                     \
  CHAIN(2)                                                                     \
  CHAIN(3)                                                                     \
  CHAIN(4)                                                                     \
  CHAIN(5)                                                                     \
  CHAIN(6)                                                                     \
  CHAIN(7) CHAIN(8) CHAIN(9) CHAIN(10) CHAIN(11) CHAIN(12) CHAIN(13)

constexpr int chains = 14; // sixteen registers less the two operands
constexpr long steps = 500000;

__attribute__((target("avx512f"))) static void runWide() {
  __m512 x[chains], a = _mm512_set1_ps(0.999f), b = _mm512_set1_ps(0.001f);
  for (__m512 &start : x)
    start = b;
  for (long step = 0; step < steps; ++step) {
    CHAINS
  }
}

__attribute__((target("avx2,fma"))) static void runNarrow() {
  __m256 x[chains], a = _mm256_set1_ps(0.999f), b = _mm256_set1_ps(0.001f);
  for (__m256 &start : x)
    start = b;
  for (long step = 0; step < steps; ++step) {
    CHAINS
  }
}
#endif

double bench::measurePeak() {
#ifdef __x86_64__
  bool isWide = __builtin_cpu_supports("avx512f");
  if (!isWide && !__builtin_cpu_supports("fma"))
    return 0;
  double best = 0;
  for (int run = 0; run < 20; ++run) {
    double start = now();
    isWide ? runWide() : runNarrow();
    double operations = 2.0 * chains * steps * (isWide ? 16 : 8);
    best = std::max(best, operations / (now() - start) * 1e-9);
  }
  return best;
#else
  return 0;
#endif
}
