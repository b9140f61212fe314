// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which kernels may run with few rows, from the entries that launch them.

#include "compiler/kernels/schedule/choose/FewRows.h"

#include <mlir/IR/BuiltinOps.h>

using namespace mlir;
using namespace transfold;

/// Whether an entry computes some rows of a sequence at a time.
static bool isStep(xf::EntryOp entry) {
  return entry && entry.getStage() == xf::Stage::Step;
}

bool kernels::isLaunchedBySteps(xf::KernelOp kernel) {
  auto uses = SymbolTable::getSymbolUses(kernel, kernel->getParentOp());
  return uses && llvm::any_of(*uses, [](auto use) {
           return isStep(
               use.getUser()->template getParentOfType<xf::EntryOp>());
         });
}

bool kernels::isBesideSteps(xf::KernelOp kernel) {
  return llvm::any_of(kernel->getParentOfType<ModuleOp>().getOps<xf::EntryOp>(),
                      isStep);
}
