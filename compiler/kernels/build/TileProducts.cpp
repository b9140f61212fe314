// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Before:
//   call i32 @transfold_tile_product(sum, …, x, …, w, …, rows, columns, words)
// After, for each 16 columns:
//   %x = tileloadd x            rows × 4 words bytes, once
//   %w = tileloadd w            words × 16 columns of 4 bytes
//   %s = tdpbssd (tilezero), %x, %w
//   tilestored sum, %s          rows × 16 columns
//
// Exact: both factors are bytes with a sign, and their sums are integers of 32
// bits, as those of the loops that the call stands for. LLVM chooses registers
// and tells the processor their sizes (ldtilecfg), which it knows from the
// sizes that each instruction has here. It does so again behind each call of a
// function, so memory of a known size is cleared without one: a tile would be
// told as often as its totals are cleared.

#include "compiler/kernels/build/TileProducts.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/IntrinsicsX86.h>
#include <llvm/Support/CommandLine.h>

#include <stdexcept>

using namespace llvm;
using namespace transfold::kernels;

/// Rows, and words of a row, that a register holds at most.
static constexpr uint64_t tileSize = 16, bytesOfWord = 4;

namespace {
/// A buffer of words from some place on, with rows so many bytes apart.
struct Rows {
  Value *begin, *step;

  Rows(IRBuilder<> &builder, CallInst &call, unsigned first) {
    auto bytes = [&](unsigned argument) {
      Value *words = builder.CreateSExt(call.getArgOperand(argument),
                                        builder.getInt64Ty());
      return builder.CreateMul(words, builder.getInt64(bytesOfWord));
    };
    begin = builder.CreatePtrAdd(call.getArgOperand(first), bytes(first + 1));
    step = bytes(first + 2);
  }
};

/// Makes the instructions of a call.
class TileProduct {
public:
  TileProduct(CallInst &call, bool isScalar)
      : call(call), builder(&call), isScalar(isScalar) {}

  void make() {
    const uint64_t rows = size(9), columns = number(10), words = size(11);
    const Rows sum(builder, call, 0), x(builder, call, 3), w(builder, call, 6);
    Value *ofX = load(rows, words, x, 0);
    for (uint64_t column = 0; column < columns; column += tileSize) {
      const uint64_t width = std::min(columns - column, tileSize);
      Value *ofW = load(words, width, w, column),
            *zero = tile(Intrinsic::x86_tilezero_internal,
                         {count(rows), bytes(width)}),
            *product =
                tile(Intrinsic::x86_tdpbssd_internal,
                     {count(rows), bytes(width), bytes(words), zero, ofX, ofW});
      builder.CreateIntrinsic(
          Intrinsic::x86_tilestored64_internal, {},
          {count(rows), bytes(width), place(sum, column), sum.step, product});
    }
  }

private:
  uint64_t number(unsigned argument) const {
    return cast<ConstantInt>(call.getArgOperand(argument))->getZExtValue();
  }

  uint64_t size(unsigned argument) const {
    const uint64_t size = number(argument);
    if (size == 0 || size > tileSize)
      throw std::runtime_error("a product of tiles fits no registers");
    return size;
  }

  Value *count(uint64_t rows) { return builder.getInt16(rows); }
  Value *bytes(uint64_t words) { return builder.getInt16(words * bytesOfWord); }
  Value *place(const Rows &rows, uint64_t word) {
    return builder.CreatePtrAdd(rows.begin,
                                builder.getInt64(word * bytesOfWord));
  }

  Value *load(uint64_t height, uint64_t words, const Rows &rows,
              uint64_t first) {
    return tile(Intrinsic::x86_tileloadd64_internal,
                {count(height), bytes(words), place(rows, first), rows.step});
  }

  /// LLVM's ordinary code has vectors for tiles, and finds what it puts them in
  /// place of by conversions.
  Value *tile(Intrinsic::ID what, ArrayRef<Value *> arguments) {
    Value *made = builder.CreateIntrinsic(what, {}, arguments);
    if (!isScalar)
      return made;
    auto *vector =
        FixedVectorType::get(builder.getInt32Ty(), tileSize * tileSize);
    return builder.CreateBitCast(builder.CreateBitCast(made, vector),
                                 made->getType());
  }

  CallInst &call;
  IRBuilder<> builder;
  bool isScalar;
};
} // namespace

static void clearWithoutCalls(Function &function) {
  for (Instruction &instruction :
       make_early_inc_range(instructions(function))) {
    auto *clear = dyn_cast<MemSetInst>(&instruction);
    if (!clear || !isa<ConstantInt>(clear->getLength()))
      continue;
    IRBuilder<>(clear).CreateMemSetInline(
        clear->getRawDest(), clear->getDestAlign(), clear->getValue(),
        clear->getLength(), clear->isVolatile());
    clear->eraseFromParent();
  }
}

void transfold::kernels::replaceTileProducts(Function &function,
                                             bool isScalar) {
  bool any = false;
  for (Instruction &instruction :
       make_early_inc_range(instructions(function))) {
    auto *call = dyn_cast<CallInst>(&instruction);
    if (!call || !call->getCalledFunction() ||
        call->getCalledFunction()->getName() != tileProductName)
      continue;
    TileProduct(*call, isScalar).make();
    call->eraseFromParent();
    any = true;
  }
  if (any)
    clearWithoutCalls(function);
}

void transfold::kernels::makeTilesScalar() {
  constexpr StringRef name = "enable-x86-scalar-amx";
  cl::getRegisteredOptions().lookup(name)->addOccurrence(0, name, "true");
}
