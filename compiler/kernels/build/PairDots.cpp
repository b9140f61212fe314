// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Before:
//   %1 = bits(fdiv float(%x), float(%w)) ^ mark
//   %3 = fadd %sum, float(%1)
// After:
//   %3 = bfdot %sum, %x, %w
//
// Of a vector of four sums, each adds the products of its pair. bfdot rounds to
// odd where others round to the nearest, and so do all loops that make a
// number.

#include "compiler/kernels/build/PairDots.h"
#include "compiler/kernels/algorithm/PairDotMark.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/Analysis/VectorUtils.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicsAArch64.h>
#include <llvm/IR/PatternMatch.h>
#include <llvm/Transforms/Utils/Local.h>

#include <stdexcept>

using namespace llvm;
using namespace llvm::PatternMatch;
using namespace transfold::kernels;

static constexpr unsigned sumsOfInstruction = 4;

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

// Sums k · 4 to k · 4 + 3 of a vector.
static Value *part(IRBuilder<> &builder, Value *vector, unsigned k) {
  return builder.CreateShuffleVector(
      vector,
      createSequentialMask(k * sumsOfInstruction, sumsOfInstruction, 0));
}

static Value *bfdot(IRBuilder<> &builder, Value *sum, Value *x, Value *w) {
  auto *type = dyn_cast<FixedVectorType>(sum->getType());
  if (!type || type->getNumElements() % sumsOfInstruction != 0)
    throw std::runtime_error("a product of pairs is in no vector of " +
                             std::to_string(sumsOfInstruction));
  auto *sums = FixedVectorType::get(type->getElementType(), sumsOfInstruction);
  auto *pairs =
      FixedVectorType::get(builder.getBFloatTy(), 2 * sumsOfInstruction);
  SmallVector<Value *> parts;
  for (unsigned k = 0; k < type->getNumElements() / sumsOfInstruction; ++k)
    parts.push_back(builder.CreateIntrinsic(
        Intrinsic::aarch64_neon_bfdot, {sums, pairs},
        {part(builder, sum, k),
         builder.CreateBitCast(part(builder, x, k), pairs),
         builder.CreateBitCast(part(builder, w, k), pairs)}));
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
    sum->replaceAllUsesWith(bfdot(builder, other, x, w));
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
