// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Before:
//   call i32 @transfold_pair_tile_product(sum, …, x, …, w, …, rows, columns,
//                                         words)
// After, with a register for each 16 rows by 16 columns of the tile:
//   %s… = tilezero
//   for each 16 words:
//     %x… = tileloadd x           16 rows × 16 words, for each 16 rows
//     %w… = tileloadd w           16 words × 16 columns, for each 16 columns
//     %s… = tdpbf16ps %s…, %x…, %w…
//   tilestored sum, %s…
//
// The eight registers hold two by two tiles of sums, two of x and one or two of
// w.

#include "compiler/kernels/build/tiles/NamedCalls.h"
#include "compiler/kernels/build/tiles/TileBuilder.h"
#include "compiler/kernels/build/tiles/TileInterpreter.h"
#include "compiler/kernels/build/tiles/TileProducts.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/IR/IntrinsicsX86.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

#include <stdexcept>

using namespace llvm;
using namespace transfold::kernels;

namespace {
/// Generates the instructions of a call.
class PairTileProduct {
public:
  PairTileProduct(CallInst &call, bool isScalar)
      : call(call), tiles(call, isScalar) {}

  void make() {
    heights = partsOf(tiles.number(9));
    widths = partsOf(tiles.number(10));
    const uint64_t words = tiles.number(11);
    if (heights.size() * widths.size() > 4 || words % size)
      throw std::runtime_error("a product of tiles does not fit the registers");
    const auto sum = tiles.rowsAt(0), x = tiles.rowsAt(3), w = tiles.rowsAt(6);
    SmallVector<Value *> zeros;
    for (uint64_t height : heights)
      for (uint64_t width : widths)
        zeros.push_back(tiles.zero(height, width));
    SmallVector<Value *> sums = addUp(zeros, words / size, x, w);
    tiles.builder.SetInsertPoint(&call);
    for (auto [row, height] : enumerate(heights))
      for (auto [column, width] : enumerate(widths))
        tiles.store(
            height, width,
            tiles.moved(sum, row * size, tiles.builder.getInt64(column * size)),
            sums[row * widths.size() + column]);
  }

private:
  static constexpr uint64_t size = TileBuilder::tileSize;

  static SmallVector<uint64_t> partsOf(uint64_t all) {
    SmallVector<uint64_t> parts;
    for (uint64_t begin = 0; begin < all; begin += size)
      parts.push_back(std::min(size, all - begin));
    return parts;
  }

  /// A loop whose iterations take 16 words each, which are 32 values.
  SmallVector<Value *> addUp(ArrayRef<Value *> zeros, uint64_t rounds,
                             const TileBuilder::Rows &x,
                             const TileBuilder::Rows &w) {
    IRBuilder<> &builder = tiles.builder;
    BasicBlock *before = call.getParent();
    auto [body, round] = SplitBlockAndInsertSimpleForLoop(
        builder.getInt64(rounds), call.getIterator());
    BasicBlock *loop = body->getParent();
    builder.SetInsertPoint(loop, loop->begin());
    SmallVector<PHINode *> carried;
    for (Value *zero : zeros) {
      carried.push_back(builder.CreatePHI(zero->getType(), 2));
      carried.back()->addIncoming(zero, before);
    }
    builder.SetInsertPoint(body);
    SmallVector<Value *> sums(carried.begin(), carried.end());
    addRound(sums, builder.CreateMul(round, builder.getInt64(size)), x, w);
    for (auto [phi, sum] : zip(carried, sums))
      phi->addIncoming(sum, loop);
    return sums;
  }

  /// Adds the products of 16 words from `word` on.
  void addRound(MutableArrayRef<Value *> sums, Value *word,
                const TileBuilder::Rows &x, const TileBuilder::Rows &w) {
    IRBuilder<> &builder = tiles.builder;
    SmallVector<Value *> ofX;
    for (auto [row, height] : enumerate(heights))
      ofX.push_back(tiles.load(height, size, tiles.moved(x, row * size, word)));
    Value *down = builder.CreateMul(word, w.step);
    for (auto [column, width] : enumerate(widths)) {
      const TileBuilder::Rows own = {builder.CreatePtrAdd(w.begin, down),
                                     w.step};
      Value *ofW = tiles.load(
          size, width, tiles.moved(own, 0, builder.getInt64(column * size)));
      for (auto [row, height] : enumerate(heights)) {
        Value *&sum = sums[row * widths.size() + column];
        sum = tiles.isScalar
                  ? interpretedPairs(builder, height, width, size, sum,
                                     ofX[row], ofW)
                  : tiles.multiply(Intrinsic::x86_tdpbf16ps_internal, height,
                                   width, size, sum, ofX[row], ofW);
      }
    }
  }

  CallInst &call;
  TileBuilder tiles;
  /// The number of rows of each register of rows, of columns of each one of
  /// columns.
  SmallVector<uint64_t> heights, widths;
};
} // namespace

void transfold::kernels::replacePairTileProducts(Function &function,
                                                 bool isScalar) {
  const auto calls = callsOf(function, pairTileProductName);
  for (CallInst *call : calls) {
    PairTileProduct(*call, isScalar).make();
    call->eraseFromParent();
  }
  if (!calls.empty())
    clearWithoutCalls(function);
}
