// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A table of instructions by width and features. LLVM's intrinsics are named
// after them.

#include "compiler/kernels/build/llvm/WordInstructions.h"

#include <llvm/IR/IntrinsicsAArch64.h>
#include <llvm/IR/IntrinsicsX86.h>
#include <llvm/MC/MCSubtargetInfo.h>
#include <llvm/Target/TargetMachine.h>

using namespace llvm;
using namespace transfold::kernels;

using namespace llvm::Intrinsic;
/// The machine has no such instruction.
static constexpr ID none = not_intrinsic;

/// Whether the processor that the code is for has a feature.
static bool has(const TargetMachine &machine, const char *feature) {
  return machine.getMCSubtargetInfo()->checkFeatures(feature);
}

// Vectors must have the exact size of a register.
static WordInstructions ofX86(const TargetMachine &machine, unsigned words) {
  const bool hasVnni = has(machine, "+avx512vnni");
  if (words == 16 && has(machine, "+avx512bw"))
    return {words, x86_avx512_pmaddubs_w_512, x86_avx512_pmaddw_d_512,
            hasVnni ? ID{x86_avx512_vpdpbusd_512} : none};
  if (words == 8 && has(machine, "+avx2"))
    return {words, x86_avx2_pmadd_ub_sw, x86_avx2_pmadd_wd,
            hasVnni ? ID{x86_avx512_vpdpbusd_256} : none, x86_avx2_psign_b};
  if (words == 4 && has(machine, "+avx"))
    return {words, x86_ssse3_pmadd_ub_sw_128, x86_sse2_pmadd_wd,
            hasVnni ? ID{x86_avx512_vpdpbusd_128} : none,
            x86_ssse3_psign_b_128};
  return {};
}

// Vectors have four words, however wide those of a kernel are: a group of 32
// values is eight words. Unsigned codes are at most 127, so that one
// instruction serves both kinds.
static WordInstructions ofArm(const TargetMachine &machine, unsigned words) {
  constexpr unsigned own = 4;
  if (words % own != 0 || !has(machine, "+dotprod"))
    return {};
  WordInstructions result;
  result.words = own;
  result.whole = aarch64_neon_sdot;
  result.takesSigns = true;
  return result;
}

WordInstructions
transfold::kernels::wordInstructionsFor(const TargetMachine &machine,
                                        unsigned words) {
  const Triple &triple = machine.getTargetTriple();
  return triple.isX86()       ? ofX86(machine, words)
         : triple.isAArch64() ? ofArm(machine, words)
                              : WordInstructions{};
}
