// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Before:
//   %1 = bits(fdiv float(%x), float(%w)) ^ mark
//   %3 = fadd %sum, float(%1)
// After:
//   %3 = bfdot %sum, %x, %w
//
// Each element of a vector of sums adds the two products of its pair: bfdot has
// four sums on ARM, vdpbf16ps has 4, 8 or 16 on x86-64. These instructions
// round in another way than multiply-adds, bfdot to odd; all loops that compute
// a value use the same instruction.

#include "compiler/kernels/algorithm/product/PairDotMark.h"
#include "compiler/kernels/build/llvm/Rewrites.h"

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

/// The two words whose marked product `value` is; null if it is not one.
static std::pair<Value *, Value *> markedWords(Value *value) {
  Value *x = nullptr, *w = nullptr;
  const APInt *bits = nullptr;
  if (match(value, m_c_Xor(m_BitCast(m_FDiv(m_Value(x), m_Value(w))),
                           m_APInt(bits))) &&
      *bits == pairDotMark)
    return {x, w};
  return {};
}

/// Whether `value` consists of marked products only, as bits or floats: LLVM
/// composes vectors of narrower ones.
static bool hasProducts(Value *value) {
  if (markedWords(value).first)
    return true;
  if (auto *cast = dyn_cast<BitCastInst>(value))
    return hasProducts(cast->getOperand(0));
  auto *shuffle = dyn_cast<ShuffleVectorInst>(value);
  return shuffle && hasProducts(shuffle->getOperand(0)) &&
         (isa<UndefValue>(shuffle->getOperand(1)) ||
          hasProducts(shuffle->getOperand(1)));
}

/// The words of such a value, in the order of its elements.
static std::pair<Value *, Value *> wordsOf(IRBuilder<> &builder, Value *value) {
  if (auto words = markedWords(value); words.first)
    return words;
  if (auto *cast = dyn_cast<BitCastInst>(value))
    return wordsOf(builder, cast->getOperand(0));
  auto *shuffle = cast<ShuffleVectorInst>(value);
  auto first = wordsOf(builder, shuffle->getOperand(0));
  auto second = isa<UndefValue>(shuffle->getOperand(1))
                    ? std::pair<Value *, Value *>(
                          PoisonValue::get(first.first->getType()),
                          PoisonValue::get(first.second->getType()))
                    : wordsOf(builder, shuffle->getOperand(1));
  ArrayRef<int> mask = shuffle->getShuffleMask();
  return {builder.CreateShuffleVector(first.first, second.first, mask),
          builder.CreateShuffleVector(first.second, second.second, mask)};
}

// Elements k · size to (k + 1) · size - 1 of a vector.
static Value *part(IRBuilder<> &builder, Value *vector, unsigned k,
                   unsigned size) {
  return builder.CreateShuffleVector(vector,
                                     createSequentialMask(k * size, size, 0));
}

/// The number of sums of the smallest instruction.
static constexpr unsigned least = 4;

// The number of sums of the largest instruction for `count` sums, a multiple of
// `least`.
static unsigned sumsOfInstruction(bool isX86, unsigned count) {
  for (unsigned size : {16, 8})
    if (isX86 && count % size == 0)
      return size;
  return least;
}

// One instruction, for vectors of exactly its size.
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

// The dot products of vectors whose size is a multiple of `least`.
static Value *dotOfVectors(IRBuilder<> &builder, bool isX86, Value *sum,
                           Value *x, Value *w) {
  const unsigned count =
                     cast<FixedVectorType>(sum->getType())->getNumElements(),
                 size = sumsOfInstruction(isX86, count);
  SmallVector<Value *> parts;
  for (unsigned k = 0; k < count / size; ++k)
    parts.push_back(dotOfPart(builder, isX86, part(builder, sum, k, size),
                              part(builder, x, k, size),
                              part(builder, w, k, size)));
  return concatenateVectors(builder, parts);
}

// Scalars, and vectors of two, are computed as the first elements of four.
static Value *dotOfPairs(IRBuilder<> &builder, Value *sum, Value *x, Value *w) {
  const bool isX86 =
      builder.GetInsertBlock()->getModule()->getTargetTriple().isX86();
  auto *type = dyn_cast<FixedVectorType>(sum->getType());
  const unsigned count = type ? type->getNumElements() : 1;
  if (count % least == 0)
    return dotOfVectors(builder, isX86, sum, x, w);
  if (count > least)
    throw std::runtime_error("no instruction adds products of pairs to " +
                             std::to_string(count) + " sums");
  auto *four = FixedVectorType::get(builder.getFloatTy(), least);
  auto filled = [&](Value *own) -> Value * {
    if (!type)
      return builder.CreateInsertElement(Constant::getNullValue(four), own,
                                         uint64_t{0});
    SmallVector<int> mask = createSequentialMask(0, count, 0);
    mask.append(least - count, static_cast<int>(count)); // a zero
    return builder.CreateShuffleVector(own, Constant::getNullValue(type), mask);
  };
  Value *all = dotOfVectors(builder, isX86, filled(sum), filled(x), filled(w));
  return type ? builder.CreateShuffleVector(all,
                                            createSequentialMask(0, count, 0))
              : builder.CreateExtractElement(all, uint64_t{0});
}

void transfold::kernels::replacePairDots(Function &function) {
  SmallVector<WeakTrackingVH> replaced;
  for (Instruction &instruction : instructions(function)) {
    if (instruction.getOpcode() != Instruction::FAdd)
      continue;
    const unsigned product = hasProducts(instruction.getOperand(1)) ? 1 : 0;
    if (!hasProducts(instruction.getOperand(product)))
      continue;
    IRBuilder<> builder(&instruction);
    auto [x, w] = wordsOf(builder, instruction.getOperand(product));
    instruction.replaceAllUsesWith(
        dotOfPairs(builder, instruction.getOperand(1 - product), x, w));
    replaced.emplace_back(&instruction);
  }
  for (Instruction &instruction : instructions(function))
    if (isInstructionTriviallyDead(&instruction))
      replaced.emplace_back(&instruction);
  RecursivelyDeleteTriviallyDeadInstructionsPermissive(replaced);
  for (Instruction &instruction : instructions(function))
    if (markedWords(&instruction).first)
      throw std::runtime_error(
          "a product of pairs is read by something other than a sum");
}
