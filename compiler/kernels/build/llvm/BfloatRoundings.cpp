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
// as they are for the instructions that multiply bfloat16. The rounding is
// recognized after LLVM's simplifications, which change the order of sums and
// the form of |x|.

#include "compiler/kernels/build/llvm/Rewrites.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/Analysis/VectorUtils.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicsX86.h>
#include <llvm/IR/PatternMatch.h>
#include <llvm/MC/MCSubtargetInfo.h>
#include <llvm/Target/TargetMachine.h>
#include <llvm/Transforms/Utils/Local.h>

using namespace llvm;
using namespace llvm::PatternMatch;

/// Whether `size` are the bits of |x|, for a float x with the bits `bits`.
static bool isSizeOf(Value *size, Value *bits) {
  Value *x = nullptr;
  if (match(size, m_And(m_Specific(bits), m_SpecificInt(0x7fffffff))))
    return true;
  return match(size, m_BitCast(m_FAbs(m_Value(x)))) &&
         match(bits, m_BitCast(m_Specific(x)));
}

/// Whether `sum` has the terms bits, (bits >> 16) & 1 and 0x7fff, in any order.
static bool addsHalf(Value *sum, Value *bits) {
  auto own = m_Specific(bits);
  auto isOdd = m_And(m_LShr(own, m_SpecificInt(16)), m_SpecificInt(1));
  auto half = m_SpecificInt(0x7fff);
  return match(sum, m_c_Add(m_c_Add(own, half), isOdd)) ||
         match(sum, m_c_Add(m_c_Add(own, isOdd), half)) ||
         match(sum, m_c_Add(m_c_Add(isOdd, half), own));
}

/// The bits of the float that `select` rounds; null if it is not a rounding.
static Value *roundedBits(SelectInst &select) {
  Value *bits = nullptr, *size = nullptr;
  if (match(&select, m_Select(m_SpecificICmp(CmpInst::ICMP_UGT, m_Value(size),
                                             m_SpecificInt(0x7f800000)),
                              m_Or(m_Value(bits), m_SpecificInt(0x400000)),
                              m_Value())) &&
      isSizeOf(size, bits) && addsHalf(select.getFalseValue(), bits))
    return bits;
  return nullptr;
}

/// Whether only the upper half of each word is used.
static bool isUpperHalf(const Instruction &word) {
  return llvm::all_of(word.users(), [](const User *user) {
    if (isa<ShuffleVectorInst>(user))
      return isUpperHalf(*cast<Instruction>(user));
    return match(user, m_LShr(m_Value(), m_SpecificInt(16))) ||
           match(user, m_And(m_Value(), m_SpecificInt(0xffff0000)));
  });
}

/// Number of values that one instruction rounds, for a vector of `count`; 0 if
/// there is no such instruction.
static unsigned partOf(unsigned count) {
  for (unsigned size : {16, 8})
    if (count % size == 0)
      return size;
  return 0;
}

// Rounds a vector in parts of `size` floats; the bfloat16 are the upper halves
// of the result.
static Value *rounded(IRBuilder<> &builder, Value *bits, unsigned size) {
  const unsigned count =
      cast<FixedVectorType>(bits->getType())->getNumElements();
  auto *words = FixedVectorType::get(builder.getInt32Ty(), size);
  auto *floats = FixedVectorType::get(builder.getFloatTy(), size);
  auto *halves = FixedVectorType::get(builder.getInt16Ty(), size);
  SmallVector<Value *> parts;
  for (unsigned k = 0; k < count; k += size) {
    Value *part =
        builder.CreateShuffleVector(bits, createSequentialMask(k, size, 0));
    Value *bfloats = builder.CreateIntrinsic(
        size == 16 ? Intrinsic::x86_avx512bf16_cvtneps2bf16_512
                   : Intrinsic::x86_avx512bf16_cvtneps2bf16_256,
        {builder.CreateBitCast(part, floats)});
    parts.push_back(builder.CreateShl(
        builder.CreateZExt(builder.CreateBitCast(bfloats, halves), words), 16));
  }
  return concatenateVectors(builder, parts);
}

void transfold::kernels::replaceBfloatRoundings(Function &function,
                                                const TargetMachine &machine) {
  if (!machine.getTargetTriple().isX86() ||
      !machine.getMCSubtargetInfo()->checkFeatures("+avx512bf16"))
    return;
  SmallVector<WeakTrackingVH> replaced;
  for (Instruction &instruction : instructions(function)) {
    auto *select = dyn_cast<SelectInst>(&instruction);
    auto *type = dyn_cast<FixedVectorType>(instruction.getType());
    const unsigned size = type ? partOf(type->getNumElements()) : 0;
    Value *bits = select && size ? roundedBits(*select) : nullptr;
    if (!bits || !isUpperHalf(*select))
      continue;
    IRBuilder<> builder(select);
    select->replaceAllUsesWith(rounded(builder, bits, size));
    replaced.emplace_back(select);
  }
  RecursivelyDeleteTriviallyDeadInstructionsPermissive(replaced);
}
