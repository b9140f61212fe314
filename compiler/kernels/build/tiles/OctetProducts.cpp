// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Before:
//   call i32 @transfold_octet_product(sum, …, x, …, w, …, pairs, columns,
//   octets)
// After, for each octet k, each pair p of rows and each pair c of columns:
//   %x = load x(k, 2 p), x(k, 2 p + 1)          16 bytes, once for all columns
//   %w = load w(2 c, k), w(2 c + 1, k)          16 bytes, once for all rows
//   %s = smmla %s, %x, %w                       2 rows × 2 columns
// and after the last octet, for two pairs of columns,
//   store sum, row 2 p of both                  4 columns
//   store sum, row 2 p + 1 of both
//
// This is exact, like all sums of integers that do not overflow. `sum` is
// memory of the kernel itself, read only after it is written: LLVM then keeps
// it in registers.

#include "compiler/kernels/build/tiles/NamedCalls.h"
#include "compiler/kernels/build/tiles/TileProducts.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/IntrinsicsAArch64.h>

#include <stdexcept>

using namespace llvm;
using namespace transfold::kernels;

static constexpr uint64_t bytesOfNumber = 4, bytesOfOctet = 8;

namespace {
/// Generates the instructions of a call.
class OctetProduct {
public:
  explicit OctetProduct(CallInst &call) : call(call), builder(&call) {}

  void make() {
    const uint64_t pairs = number(9), columns = number(10), octets = number(11);
    if (columns % 4)
      throw std::runtime_error(
          "a product of octets does not have vectors of columns");
    sums.assign(pairs, SmallVector<Value *>(
                           columns / 2, ConstantAggregateZero::get(sumsType)));
    for (uint64_t octet = 0; octet < octets; ++octet)
      add(octet, pairs, columns);
    for (uint64_t pair = 0; pair < pairs; ++pair)
      for (uint64_t column = 0; column < columns; column += 4)
        store(pair, column);
  }

private:
  /// Multiplies octet `octet` of all pairs of rows with that of each pair of
  /// columns, one after the other: registers hold all rows and one pair of
  /// columns.
  void add(uint64_t octet, uint64_t pairs, uint64_t columns) {
    SmallVector<Value *> rows;
    for (uint64_t pair = 0; pair < pairs; ++pair)
      rows.push_back(load(3, pair, 2 * octet));
    for (uint64_t column = 0; column < columns / 2; ++column) {
      Value *w = load(6, octet, 2 * column);
      for (auto [sum, x] : zip(sums, rows))
        sum[column] =
            builder.CreateIntrinsic(Intrinsic::aarch64_neon_smmla,
                                    {sumsType, bytesType}, {sum[column], x, w});
    }
  }

  /// Stores columns `column` to `column` + 3 of both rows.
  void store(uint64_t pair, uint64_t column) {
    Value *left = sums[pair][column / 2], *right = sums[pair][column / 2 + 1];
    for (int row : {0, 1})
      builder.CreateAlignedStore(
          builder.CreateShuffleVector(
              left, right, {2 * row, 2 * row + 1, 2 * row + 4, 2 * row + 5}),
          place(0, 2 * pair + row, column, bytesOfNumber),
          Align(bytesOfNumber));
  }

  Value *load(unsigned argument, uint64_t step, uint64_t octet) {
    return builder.CreateAlignedLoad(bytesType,
                                     place(argument, step, octet, bytesOfOctet),
                                     Align(bytesOfOctet));
  }

  /// The address of entry `entry`, `steps` steps from the first place of the
  /// buffer that is passed at `argument`.
  Value *place(unsigned argument, uint64_t steps, uint64_t entry,
               uint64_t bytes) {
    auto wide = [&](unsigned own) {
      return builder.CreateSExt(call.getArgOperand(own), builder.getInt64Ty());
    };
    Value *first = builder.CreatePtrAdd(
        call.getArgOperand(argument),
        builder.CreateMul(wide(argument + 1), builder.getInt64(bytes)));
    Value *step = builder.CreatePtrAdd(
        first,
        builder.CreateMul(wide(argument + 2), builder.getInt64(steps * bytes)));
    return builder.CreatePtrAdd(step, builder.getInt64(entry * bytes));
  }

  uint64_t number(unsigned argument) const {
    return cast<ConstantInt>(call.getArgOperand(argument))->getZExtValue();
  }

  CallInst &call;
  IRBuilder<> builder;
  FixedVectorType *sumsType = FixedVectorType::get(builder.getInt32Ty(), 4),
                  *bytesType = FixedVectorType::get(builder.getInt8Ty(), 16);
  /// The sums of each pair of rows and each pair of columns.
  SmallVector<SmallVector<Value *>> sums;
};
} // namespace

bool transfold::kernels::replaceOctetProducts(Function &function) {
  const auto calls = callsOf(function, octetProductName);
  for (CallInst *call : calls) {
    OctetProduct(*call).make();
    call->eraseFromParent();
  }
  return !calls.empty();
}
