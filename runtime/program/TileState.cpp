// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Queries CPUID and Linux for AMX. The constants are those of Intel's manual
// (CPUID leaf 7, XCR0) and of arch_prctl() with ARCH_REQ_XCOMP_PERM for the
// state XTILEDATA.

#include "runtime/program/TileState.h"

#if defined(__x86_64__) && defined(__linux__)
#include <cpuid.h>
#include <sys/syscall.h>
#include <unistd.h>
#endif

namespace transfold::runtime::inline program {

#if defined(__x86_64__) && defined(__linux__)

// Whether Linux has enabled the state of tiles and of their configuration.
static bool isStateSaved() {
  constexpr unsigned osUsesXsave = 1u << 27, tiles = 1u << 17 | 1u << 18;
  unsigned a = 0, b = 0, c = 0, d = 0;
  if (!__get_cpuid(1, &a, &b, &c, &d) || !(c & osUsesXsave))
    return false;
  unsigned low = 0, high = 0;
  __asm__("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return (low & tiles) == tiles;
}

bool hasTiles() {
  constexpr unsigned amxBf16 = 1u << 22, avx512Fp16 = 1u << 23,
                     amxTile = 1u << 24, amxInt8 = 1u << 25,
                     all = amxBf16 | avx512Fp16 | amxTile | amxInt8;
  unsigned a = 0, b = 0, c = 0, d = 0;
  return __get_cpuid_count(7, 0, &a, &b, &c, &d) && (d & all) == all &&
         isStateSaved();
}

bool isTileStateGranted() {
  constexpr int requestPermission = 0x1023, tileData = 18;
  static const bool isGranted =
      ::syscall(SYS_arch_prctl, requestPermission, tileData) == 0;
  return isGranted;
}

#else

bool hasTiles() { return false; }
bool isTileStateGranted() { return false; }

#endif

} // namespace transfold::runtime::inline program
