// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Equations for one sequence run for several.
//
// Before:
//   %y = xf.launch @contract_add(%x, %W, %b)     // x[n, k] @ W + b
//   %s = xf.launch @attention(%q, %k, %v)
// After:
//   %y = xf.launch @contract_add(%x, %W, %b)     // n: rows of all sequences
//   %s = xf.launch @attention(%q, %k, %v) {per_sequence}
//
// A value with a length holds the rows of all sequences behind each other; one
// without holds one entry for each sequence. A launch runs over all rows at
// once where each of its operations treats every row by itself and each of its
// operands is a weight or such rows. Exact, and the results of a sequence do
// not depend on its neighbours: no kernel mixes rows of two.

#include "compiler/host/MemorySpace.h"
#include "compiler/host/Passes.h"

namespace transfold::host {
#define GEN_PASS_DEF_DERIVEBATCH
#include "compiler/host/Passes.h.inc"
} // namespace transfold::host

using namespace mlir;
using namespace transfold;

namespace {

/// The only axis with a length; null where there is none, or more than one.
Attribute rowsOf(Type type) {
  Attribute rows;
  for (Attribute axis : xf::getShape(type)) {
    if (xf::getNumber(axis))
      continue;
    if (rows)
      return {};
    rows = axis;
  }
  return rows;
}

bool treatsRowsAlone(xf::KernelOp kernel) {
  for (Operation &op : kernel.getBody().front().without_terminator()) {
    auto law = dyn_cast<xf::BatchLawInterface>(op);
    if (!law || law.getBatchLaw() != xf::BatchLaw::Rows)
      return false;
  }
  return true;
}

bool runsOverAllRows(xf::LaunchOp launch) {
  Attribute rows = rowsOf(launch.getResult().getType());
  if (!rows)
    return false;
  for (Value operand : launch.getOperands())
    if (host::sourceOf(operand).getDefiningOp<xf::RecallOp>() ||
        (!operand.getDefiningOp<xf::WeightOp>() &&
         rowsOf(operand.getType()) != rows))
      return false; // each sequence has its own memory
  return treatsRowsAlone(SymbolTable::lookupNearestSymbolFrom<xf::KernelOp>(
      launch, launch.getKernelAttr()));
}

struct DeriveBatch : host::impl::DeriveBatchBase<DeriveBatch> {
  void runOnOperation() override {
    getOperation().walk([&](xf::LaunchOp launch) {
      bool together = runsOverAllRows(launch);
      launch.setPerSequence(!together);
      ++(together ? rows : sequences);
    });
  }
};

} // namespace
