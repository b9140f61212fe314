// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Before:
//   %1 = bits(fdiv float(%x), float(%w)) ^ mark
//   %3 = fadd %sum, float(%1)
// After:
//   %3 = bfdot %sum, %x, %w
//
// Of a vector of sums, each adds the products of its pair: bfdot of four on
// ARM, vdpbf16ps of 4, 8 or 16 on x86-64. They round otherwise than
// multiply-adds do, bfdot to odd, and so do all loops that make a number.

#include "compiler/kernels/build/PairDots.h"
#include "compiler/kernels/algorithm/PairDotMark.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/Analysis/VectorUtils.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicsAArch64.h>
#include <llvm/IR/IntrinsicsX86.h>
#include <llvm/IR/PatternMatch.h>
#include <llvm/Transforms/Utils/Local.h>

#include <stdexcept>

using namespace llvm;
using namespace llvm::PatternMatch;
using namespace transfold::kernels;

/// The two words that are marked as `value`; null where it is none.
static std::pair<Value *, Value *> wordsOf(Instruction &value) {
  Value *x = nullptr, *w = nullptr;
  const APInt *bits = nullptr;
  if (match(&value, m_c_Xor(m_BitCast(m_FDiv(m_Value(x), m_Value(w))),
                            m_APInt(bits))) &&
      *bits == pairDotMark)
    return {x, w};
  return {};
}

// Elements k · size to (k + 1) · size - 1 of a vector.
static Value *part(IRBuilder<> &builder, Value *vector, unsigned k,
                   unsigned size) {
  return builder.CreateShuffleVector(vector,
                                     createSequentialMask(k * size, size, 0));
}

// As many sums as an instruction has, of `count`.
static unsigned sumsOfInstruction(bool isX86, unsigned count) {
  for (unsigned size : {16, 8, 4})
    if (count % size == 0 && (isX86 || size == 4))
      return size;
  throw std::runtime_error("no instruction adds products of pairs to " +
                           std::to_string(count) + " sums");
}

static Value *dotOfPart(IRBuilder<> &builder, bool isX86, Value *sum, Value *x,
                        Value *w) {
  auto *sums = cast<FixedVectorType>(sum->getType());
  const unsigned size = sums->getNumElements();
  auto *pairs = FixedVectorType::get(builder.getBFloatTy(), 2 * size);
  x = builder.CreateBitCast(x, pairs);
  w = builder.CreateBitCast(w, pairs);
  if (!isX86)
    return builder.CreateIntrinsic(Intrinsic::aarch64_neon_bfdot, {sums, pairs},
                                   {sum, x, w});
  return builder.CreateIntrinsic(
      size == 16  ? Intrinsic::x86_avx512bf16_dpbf16ps_512
      : size == 8 ? Intrinsic::x86_avx512bf16_dpbf16ps_256
                  : Intrinsic::x86_avx512bf16_dpbf16ps_128,
      {sum, x, w});
}

static Value *dotOfPairs(IRBuilder<> &builder, Value *sum, Value *x, Value *w) {
  const bool isX86 =
      builder.GetInsertBlock()->getModule()->getTargetTriple().isX86();
  auto *type = dyn_cast<FixedVectorType>(sum->getType());
  const unsigned count = type ? type->getNumElements() : 1,
                 size = sumsOfInstruction(isX86, count);
  SmallVector<Value *> parts;
  for (unsigned k = 0; k < count / size; ++k)
    parts.push_back(dotOfPart(builder, isX86, part(builder, sum, k, size),
                              part(builder, x, k, size),
                              part(builder, w, k, size)));
  return concatenateVectors(builder, parts);
}

// Every sum that `product`, the float of a mark, is a term of.
static void replaceSums(Instruction &product, Value *x, Value *w) {
  for (User *user : make_early_inc_range(product.users())) {
    auto *sum = cast<Instruction>(user);
    if (sum->getOpcode() != Instruction::FAdd)
      throw std::runtime_error("a product of pairs is read by what is no sum");
    IRBuilder<> builder(sum);
    Value *other = sum->getOperand(sum->getOperand(0) == &product ? 1 : 0);
    sum->replaceAllUsesWith(dotOfPairs(builder, other, x, w));
    sum->eraseFromParent();
  }
}

void transfold::kernels::replacePairDots(Function &function) {
  SmallVector<Instruction *> marks;
  for (Instruction &instruction : instructions(function))
    if (wordsOf(instruction).first)
      marks.push_back(&instruction);
  SmallVector<WeakTrackingVH> products;
  for (Instruction *mark : marks) {
    auto [x, w] = wordsOf(*mark);
    for (User *user : mark->users()) {
      auto *product = dyn_cast<BitCastInst>(user);
      if (!product)
        throw std::runtime_error("a product of pairs is in no form that is "
                                 "known");
      replaceSums(*product, x, w);
      products.emplace_back(product);
    }
  }
  RecursivelyDeleteTriviallyDeadInstructionsPermissive(products);
}
