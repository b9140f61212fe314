// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Whether kernels prefetch weights on this processor.

#pragma once

#include <cstring>

#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace transfold::runtime::inline kernels {

/// Whether a program is faster with instructions that prefetch its weights.
///
/// AMD's processors gain by them (ChooseContraction.cpp, PrefetchNextTask.h).
/// Intel's find following lines by themselves, and the instructions occupy the
/// buffers that those wait for. Measured on a Sapphire Rapids, one thread, with
/// and without: all-MiniLM-L6-v2 in float32 takes 10.7 and 3.9 ms for 16
/// tokens, 27.5 and 22.1 for 128, in 8 bits 3.6 and 1.9, 8.3 and 6.5; an LFM2
/// of 350 M in Q8_0 with products of 8 bits generates 23.0 and 32.3 tokens/s,
/// on two threads 45.9 and 61.8.
inline bool arePrefetchesFaster() {
#if defined(__x86_64__)
  unsigned most = 0, name[3] = {};
  return !__get_cpuid(0, &most, &name[0], &name[2], &name[1]) ||
         std::memcmp(name, "GenuineIntel", sizeof name) != 0;
#else
  return true;
#endif
}

} // namespace transfold::runtime::inline kernels
