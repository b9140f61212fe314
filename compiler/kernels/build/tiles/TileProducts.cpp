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
// This is exact: both factors are signed bytes, and their sums are 32-bit
// integers, as in the loops that the call replaces. LLVM allocates registers
// and sets their sizes in the processor (ldtilecfg), which it knows from the
// sizes of each instruction here. It sets them again after each function call,
// so memory of a constant size is cleared inline: otherwise the sizes would be
// set each time that the totals of a tile are cleared.

#include "compiler/kernels/build/tiles/TileProducts.h"
#include "compiler/kernels/build/tiles/NamedCalls.h"
#include "compiler/kernels/build/tiles/TileBuilder.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/IntrinsicsX86.h>
#include <llvm/Support/CommandLine.h>

#include <stdexcept>

using namespace llvm;
using namespace transfold::kernels;

// Inserts the instructions of a call before it.
static void make(CallInst &call, bool isScalar) {
  constexpr uint64_t size = TileBuilder::tileSize;
  TileBuilder tiles(call, isScalar);
  const uint64_t rows = tiles.number(9), columns = tiles.number(10),
                 words = tiles.number(11);
  if (rows == 0 || rows > size || words == 0 || words > size)
    throw std::runtime_error("a product of tiles does not fit the registers");
  const auto sum = tiles.rowsAt(0), x = tiles.rowsAt(3), w = tiles.rowsAt(6);
  Value *ofX = tiles.load(rows, words, x);
  for (uint64_t column = 0; column < columns; column += size) {
    const uint64_t width = std::min(columns - column, size);
    Value *place = tiles.builder.getInt64(column),
          *ofW = tiles.load(words, width, tiles.moved(w, 0, place)),
          *product =
              tiles.multiply(Intrinsic::x86_tdpbssd_internal, rows, width,
                             words, tiles.zero(rows, width), ofX, ofW);
    tiles.store(rows, width, tiles.moved(sum, 0, place), product);
  }
}

void transfold::kernels::clearWithoutCalls(Function &function) {
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
  const auto calls = callsOf(function, tileProductName);
  for (CallInst *call : calls) {
    make(*call, isScalar);
    call->eraseFromParent();
  }
  if (!calls.empty())
    clearWithoutCalls(function);
}

void transfold::kernels::makeTilesScalar() {
  constexpr StringRef name = "enable-x86-scalar-amx";
  cl::getRegisteredOptions().lookup(name)->addOccurrence(0, name, "true");
}
