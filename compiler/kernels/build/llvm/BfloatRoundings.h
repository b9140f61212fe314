// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Before (algorithm/numeric/HalideMath.h, bfloat16Of), for the bits of a float
// x:
//   %n = add (add %bits, 0x7fff), (and (lshr %bits, 16), 1)
//   %q = or %bits, 0x400000
//   %r = select (%bits & 0x7fffffff) <= 0x7f800000, %n, %q
//   … of which the upper half is used
// After, where the processor has an instruction:
//   %r = shl (zext (vcvtneps2bf16 x)), 16
//
// The upper half is the same, except for values below 2^-126: these become 0,
// as they are for the instructions that multiply bfloat16.

#pragma once

namespace llvm {
class Function;
class TargetMachine;
} // namespace llvm

namespace transfold::kernels {

/// Replaces roundings of whole vectors by the instruction.
void replaceBfloatRoundings(llvm::Function &function,
                            const llvm::TargetMachine &machine);

} // namespace transfold::kernels
