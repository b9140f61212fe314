// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// void transfold_tdpbf16ps(sum[16][16], x[16][16], w[16][16], rows, columns,
//                          words):
//   for m < rows, n < columns:
//     even = odd = 0
//     for k < words:
//       even = fma(low(x[m][k]), low(w[k][n]), even)
//       odd = fma(high(x[m][k]), high(w[k][n]), odd)
//     sum[m][n] = sum[m][n] + (even + odd)

#include "compiler/kernels/build/tiles/TileInterpreter.h"
#include "compiler/kernels/build/tiles/TileBuilder.h"

#include <llvm/IR/Module.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

using namespace llvm;

namespace transfold::kernels {

constexpr uint64_t size = TileBuilder::tileSize;

namespace {
/// Generates the body of the function.
class Interpreter {
public:
  explicit Interpreter(Function &function)
      : function(function), builder(function.getContext()) {}

  void make() {
    BasicBlock *entry =
        BasicBlock::Create(function.getContext(), "", &function);
    Instruction *end = ReturnInst::Create(function.getContext(), entry);
    auto [ofRow, row] = SplitBlockAndInsertSimpleForLoop(function.getArg(3),
                                                         end->getIterator());
    auto [body, column] = SplitBlockAndInsertSimpleForLoop(
        function.getArg(4), ofRow->getIterator());
    addUp(body, row, column);
  }

private:
  Value *placeOf(unsigned buffer, Value *row, Value *column) {
    Value *place = builder.CreateAdd(
        builder.CreateMul(row, builder.getInt64(size)), column);
    return builder.CreateGEP(builder.getInt32Ty(), function.getArg(buffer),
                             place);
  }

  /// One of the two values of a word, as a float.
  Value *half(Value *word, bool isHigh) {
    Value *bits = isHigh ? builder.CreateAnd(word, 0xffff0000)
                         : builder.CreateShl(word, 16);
    return builder.CreateBitCast(bits, builder.getFloatTy());
  }

  void addUp(Instruction *before, Value *row, Value *column) {
    BasicBlock *start = before->getParent();
    auto [body, k] = SplitBlockAndInsertSimpleForLoop(function.getArg(5),
                                                      before->getIterator());
    BasicBlock *loop = body->getParent();
    builder.SetInsertPoint(loop, loop->begin());
    Value *zero = ConstantFP::get(builder.getFloatTy(), 0.0);
    PHINode *sums[2];
    for (PHINode *&sum : sums) {
      sum = builder.CreatePHI(builder.getFloatTy(), 2);
      sum->addIncoming(zero, start);
    }
    builder.SetInsertPoint(body);
    Value *x = builder.CreateLoad(builder.getInt32Ty(), placeOf(1, row, k)),
          *w = builder.CreateLoad(builder.getInt32Ty(), placeOf(2, k, column));
    Value *next[2];
    for (bool isHigh : {false, true}) {
      next[isHigh] = builder.CreateIntrinsic(
          Intrinsic::fma, {builder.getFloatTy()},
          {half(x, isHigh), half(w, isHigh), sums[isHigh]});
      sums[isHigh]->addIncoming(next[isHigh], loop);
    }
    builder.SetInsertPoint(before);
    Value *place = placeOf(0, row, column),
          *sum = builder.CreateLoad(builder.getFloatTy(), place);
    builder.CreateStore(
        builder.CreateFAdd(sum, builder.CreateFAdd(next[0], next[1])), place);
  }

  Function &function;
  IRBuilder<> builder;
};
} // namespace

// The interpreter function of a module, which is created on first use.
static Function *functionIn(Module &module, const Function &like) {
  constexpr const char *name = "transfold_tdpbf16ps";
  if (Function *known = module.getFunction(name))
    return known;
  LLVMContext &context = module.getContext();
  Type *pointer = PointerType::getUnqual(context),
       *number = Type::getInt64Ty(context);
  auto *type = FunctionType::get(
      Type::getVoidTy(context),
      {pointer, pointer, pointer, number, number, number}, false);
  Function *function =
      Function::Create(type, GlobalValue::InternalLinkage, name, module);
  // The function is compiled for the same processor.
  for (const char *attribute : {"target-cpu", "target-features"})
    function->addFnAttr(like.getFnAttribute(attribute));
  Interpreter(*function).make();
  return function;
}

Value *interpretedPairs(IRBuilder<> &builder, uint64_t rows, uint64_t columns,
                        uint64_t words, Value *sum, Value *x, Value *w) {
  Function &own = *builder.GetInsertBlock()->getParent();
  SmallVector<Value *> arguments;
  for (Value *tile : {sum, x, w}) {
    IRBuilder<> start(&own.getEntryBlock(), own.getEntryBlock().begin());
    arguments.push_back(start.CreateAlloca(tile->getType()));
    builder.CreateStore(tile, arguments.back());
  }
  Value *result = arguments[0];
  for (uint64_t count : {rows, columns, words})
    arguments.push_back(builder.getInt64(count));
  builder.CreateCall(functionIn(*own.getParent(), own), arguments);
  return builder.CreateLoad(sum->getType(), result);
}

} // namespace transfold::kernels
