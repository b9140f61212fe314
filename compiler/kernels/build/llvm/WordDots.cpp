// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Before, for a sum of two:
//   %1 = bits(fdiv float(%codes0), float(%x0)) ^ mark
//   %2 = bits(fdiv float(%codes1), float(%x1)) ^ mark
//   %3 = add %1, %2
// After, where the processor has VNNI, or ARM's sdot:
//   %1 = vpdpbusd 0, %codes0, %x0       or with the previous sum instead of 0
//   %3 = vpdpbusd %1, %codes1, %x1
// otherwise, for as many products as 16-bit sums permit:
//   %1 = vpmaddubsw %codes0, %x0        products of bytes, added in pairs
//   %2 = vpmaddubsw %codes1, %x1
//   %3 = vpmaddwd (add i16 %1, %2), 1   the pairs, added
//
// This is exact: vpmaddubsw saturates at 2^15, which no pair of products
// reaches, 2 · 128 · 127 at most, and integers can be added in any order.
// Signed codes are multiplied as |code| · (x with the sign of the code), except
// with sdot, both of whose factors are signed.

#include "compiler/kernels/algorithm/product/WordDotMark.h"
#include "compiler/kernels/build/llvm/Rewrites.h"
#include "compiler/kernels/build/llvm/WordInstructions.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/Analysis/VectorUtils.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/PatternMatch.h>
#include <llvm/Target/TargetMachine.h>
#include <llvm/Transforms/Utils/Local.h>

#include <stdexcept>

using namespace llvm;
using namespace llvm::PatternMatch;
using namespace transfold::kernels;

namespace {
/// Σ_b codes_b numbers_b in each lane; computed at `place`.
struct WordDot {
  Instruction *place;
  Value *codes, *numbers; // floats whose bits are the words
  WordDotMark mark;
};
} // namespace

// The marked product that `value` is; nullopt for other values.
static std::optional<WordDot> wordDotIn(Value *value) {
  auto *place = dyn_cast<Instruction>(value);
  Value *codes = nullptr, *numbers = nullptr;
  const APInt *bits = nullptr;
  if (!place ||
      !match(place, m_c_Xor(m_BitCast(m_FDiv(m_Value(codes), m_Value(numbers))),
                            m_APInt(bits))) ||
      bits->getBitWidth() != 32)
    return std::nullopt;
  std::optional<WordDotMark> mark = WordDotMark::decoded(bits->getZExtValue());
  if (!mark)
    return std::nullopt;
  return WordDot{place, codes, numbers, *mark};
}

/// Whether a value is an integer addition.
static bool isAdd(Value *value) {
  auto *instruction = dyn_cast<Instruction>(value);
  return instruction && instruction->getOpcode() == Instruction::Add;
}

namespace {
/// A tree of additions with dots among its leaves.
class SumOfDots {
public:
  /// The largest tree that contains `dot`.
  SumOfDots(Instruction *dot, const TargetMachine &machine)
      : machine(machine), root(dot) {
    while (root->hasOneUse() && isAdd(root->user_back()) &&
           root->user_back()->getParent() == dot->getParent())
      root = root->user_back();
    collect(root);
    llvm::sort(dots, [](const WordDot &a, const WordDot &b) {
      return a.place->comesBefore(b.place);
    });
  }

  /// Replaces the tree; returns its root, which has no users then.
  Instruction *replace() {
    auto *vector = dyn_cast<FixedVectorType>(root->getType());
    WordInstructions own =
        wordInstructionsFor(machine, vector ? vector->getNumElements() : 1);
    if (own.whole)
      sumWhole(own);
    else if (own.pairs)
      sumPairs(own);
    else
      for (const WordDot &dot : dots)
        terms.push_back(arithmetic(dot));
    IRBuilder<> builder(root);
    Value *sum = terms[0];
    for (Value *term : drop_begin(terms))
      sum = builder.CreateAdd(sum, term);
    root->replaceAllUsesWith(sum);
    return root;
  }

private:
  void collect(Value *value) {
    if (auto dot = wordDotIn(value);
        dot && dot->place->getParent() == root->getParent()) {
      dots.push_back(*dot);
    } else if (isAdd(value) && (value == root || value->hasOneUse())) {
      for (Value *operand : cast<Instruction>(value)->operands())
        collect(operand);
    } else {
      terms.push_back(value);
    }
  }

  static Value *asBytes(IRBuilder<> &builder, Value *words) {
    unsigned count =
        cast<FixedVectorType>(words->getType())->getNumElements() * 4;
    return builder.CreateBitCast(
        words, FixedVectorType::get(builder.getInt8Ty(), count));
  }

  /// Unsigned codes, and the values that they are multiplied with.
  static std::pair<Value *, Value *> operands(IRBuilder<> &builder,
                                              const WordDot &dot,
                                              const WordInstructions &own) {
    Value *codes = asBytes(builder, dot.codes),
          *numbers = asBytes(builder, dot.numbers);
    if (!dot.mark.isSigned || own.takesSigns)
      return {codes, numbers};
    Value *sizes = builder.CreateBinaryIntrinsic(Intrinsic::abs, codes,
                                                 builder.getFalse());
    if (own.sign)
      return {sizes, builder.CreateIntrinsic(own.sign, {}, {numbers, codes})};
    Value *isNegative =
        builder.CreateICmpSLT(codes, Constant::getNullValue(codes->getType()));
    return {sizes, builder.CreateSelect(isNegative, builder.CreateNeg(numbers),
                                        numbers)};
  }

  /// Part `k` of a vector of bytes, with the width of an instruction.
  static Value *part(IRBuilder<> &builder, Value *bytes, size_t k,
                     const WordInstructions &own) {
    const unsigned width = own.words * 4;
    if (cast<FixedVectorType>(bytes->getType())->getNumElements() == width)
      return bytes;
    return builder.CreateShuffleVector(
        bytes, createSequentialMask(k * width, width, 0));
  }

  /// A term that is available before the first dot product, to which these can
  /// be added; 0 if there is none.
  Value *takeStart() {
    auto *known = find_if(terms, [&](Value *term) {
      auto *made = dyn_cast<Instruction>(term);
      return !made || made->getParent() != root->getParent() ||
             made->comesBefore(dots.front().place);
    });
    if (known == terms.end())
      return Constant::getNullValue(root->getType());
    Value *start = *known;
    terms.erase(known);
    return start;
  }

  void sumWhole(const WordInstructions &own) {
    auto *type = cast<FixedVectorType>(root->getType());
    auto *partType = FixedVectorType::get(type->getElementType(), own.words);
    SmallVector<Value *> sums(type->getNumElements() / own.words);
    IRBuilder<> first(dots.front().place);
    Value *start = takeStart();
    for (auto [k, sum] : enumerate(sums))
      sum = sums.size() == 1
                ? start
                : first.CreateShuffleVector(
                      start, createSequentialMask(k * own.words, own.words, 0));
    for (const WordDot &dot : dots) {
      IRBuilder<> builder(dot.place);
      auto [codes, numbers] = operands(builder, dot, own);
      for (auto [k, sum] : enumerate(sums)) {
        Value *partOfCodes = part(builder, codes, k, own),
              *partOfNumbers = part(builder, numbers, k, own);
        SmallVector<Type *> types;
        if (own.takesSigns)
          types = {partType, partOfCodes->getType()};
        sum = builder.CreateIntrinsic(own.whole, types,
                                      {sum, partOfCodes, partOfNumbers});
      }
    }
    IRBuilder<> builder(root);
    terms.push_back(concatenateVectors(builder, sums));
  }

  void sumPairs(const WordInstructions &own) {
    Value *pairs = nullptr;
    uint32_t added = 0;
    for (const WordDot &dot : dots) {
      IRBuilder<> builder(dot.place);
      if (added == dot.mark.summable) {
        addPairs(builder, pairs, own);
        added = 0;
      }
      auto [codes, numbers] = operands(builder, dot, own);
      Value *next = builder.CreateIntrinsic(own.pairs, {}, {codes, numbers});
      pairs = added++ ? builder.CreateAdd(pairs, next) : next;
    }
    IRBuilder<> builder(root);
    addPairs(builder, pairs, own);
  }

  void addPairs(IRBuilder<> &builder, Value *pairs,
                const WordInstructions &own) {
    terms.push_back(builder.CreateIntrinsic(
        own.fours, {}, {pairs, ConstantInt::get(pairs->getType(), 1)}));
  }

  /// The dot product without special instructions, for any processor and for
  /// scalars.
  static Value *arithmetic(const WordDot &dot) {
    IRBuilder<> builder(dot.place);
    Type *type = dot.place->getType();
    Value *codes = builder.CreateBitCast(dot.codes, type),
          *numbers = builder.CreateBitCast(dot.numbers, type), *sum = nullptr;
    for (unsigned byte = 0; byte < 4; ++byte) {
      auto widened = [&](Value *words, bool isSigned) {
        Value *high = builder.CreateShl(words, 24 - 8 * byte);
        return isSigned ? builder.CreateAShr(high, 24)
                        : builder.CreateLShr(high, 24);
      };
      Value *product = builder.CreateMul(widened(codes, dot.mark.isSigned),
                                         widened(numbers, true));
      sum = sum ? builder.CreateAdd(sum, product) : product;
    }
    return sum;
  }

  const TargetMachine &machine;
  Instruction *root;
  SmallVector<WordDot> dots;
  SmallVector<Value *> terms;
};
} // namespace

/// Whether a mark is left, in any form.
static bool isLeft(Instruction &instruction) {
  const APInt *bits = nullptr;
  return match(&instruction, m_c_Xor(m_Value(), m_APInt(bits))) &&
         bits->getBitWidth() == 32 &&
         WordDotMark::decoded(bits->getZExtValue());
}

bool transfold::kernels::replaceWordDots(Function &function,
                                         const TargetMachine &machine) {
  SmallVector<WeakVH> dots;
  for (Instruction &instruction : instructions(function))
    if (wordDotIn(&instruction))
      dots.emplace_back(&instruction);
  // Replacing one sum may replace several dot products.
  for (WeakVH &dot : dots)
    if (Value *value = dot; value && !value->use_empty())
      RecursivelyDeleteTriviallyDeadInstructions(
          SumOfDots(cast<Instruction>(value), machine).replace());
  for (Instruction &instruction : instructions(function))
    if (isLeft(instruction))
      throw std::runtime_error("a product of words has an unknown form");
  return !dots.empty();
}
