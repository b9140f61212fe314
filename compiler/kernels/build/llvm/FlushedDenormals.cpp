// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   entry:  stmxcsr before            around a call that waits for tasks:
//           own = before | flags        ldmxcsr before
//           ldmxcsr own                 call halide_do_par_for
//   …                                   ldmxcsr own
//           ldmxcsr before
//           ret

#include "compiler/kernels/build/llvm/Rewrites.h"
#include "compiler/kernels/build/tiles/NamedCalls.h"
#include "compiler/kernels/build/tiles/TileProducts.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/IntrinsicsX86.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/Operator.h>

using namespace llvm;
using namespace transfold::kernels;

// The scalar code that replaces tile instructions needs the flags, too.
static bool computes(Function &function) {
  return any_of(instructions(function), [](Instruction &instruction) {
    return isa<FPMathOperator>(instruction) ||
           isCallOf(instruction, pairTileProductName);
  });
}

// Adds the code above to a function.
static void flushIn(Function &function) {
  // The flags for results and for operands.
  constexpr uint32_t flushToZero = 1u << 15, denormalsAreZero = 1u << 6;
  SmallVector<Instruction *> ends;
  for (Instruction &instruction : instructions(function))
    if (isa<ReturnInst>(instruction))
      ends.push_back(&instruction);
  const auto tasks = callsOf(function, "halide_do_par_for");
  IRBuilder<> builder(&function.getEntryBlock(),
                      function.getEntryBlock().begin());
  Value *before = builder.CreateAlloca(builder.getInt32Ty()),
        *own = builder.CreateAlloca(builder.getInt32Ty());
  auto set = [&](Value *state) {
    builder.CreateIntrinsic(Intrinsic::x86_sse_ldmxcsr, {}, {state});
  };
  builder.CreateIntrinsic(Intrinsic::x86_sse_stmxcsr, {}, {before});
  Value *state = builder.CreateLoad(builder.getInt32Ty(), before);
  builder.CreateStore(builder.CreateOr(state, flushToZero | denormalsAreZero),
                      own);
  set(own);
  for (CallInst *task : tasks) {
    builder.SetInsertPoint(task);
    set(before);
    builder.SetInsertPoint(task->getNextNode());
    set(own);
  }
  for (Instruction *end : ends) {
    builder.SetInsertPoint(end);
    set(before);
  }
}

void transfold::kernels::flushDenormals(Module &module) {
  if (!module.getTargetTriple().isX86())
    return;
  for (Function &function : module)
    if (!function.isDeclaration() && computes(function))
      flushIn(function);
}
