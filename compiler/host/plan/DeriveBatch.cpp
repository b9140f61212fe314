// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// -xf-derive-batch: equations for one sequence run for a batch of several.
//
// Before:
//   %y = xf.launch @contract_add(%x, %W, %b)     // x[n, k] @ W + b
//   %s = xf.launch @attention(%q, %k, %v)
// After:
//   %y = xf.launch @contract_add(%x, %W, %b)     // n: rows of all sequences
//   %s = xf.launch @attention(%q, %k, %v) {per_sequence}
//
// A value with a length holds the rows of all sequences, concatenated; one
// without a length holds one entry for each sequence. A launch runs over all
// rows at once if each of its operations processes every row independently and
// each of its operands is a weight or such rows. Exact, and the results of a
// sequence do not depend on the other sequences: no kernel mixes rows of two.
// Values that are computed from weights alone are computed once, for all
// sequences. The launches of a recurrence run for one position of one sequence.

#include "compiler/host/Passes.h"
#include "compiler/host/plan/ChosenRows.h"
#include "compiler/host/plan/MemorySpace.h"

namespace transfold::host {
#define GEN_PASS_DEF_DERIVEBATCH
#include "compiler/host/Passes.h.inc"
} // namespace transfold::host

using namespace mlir;
using namespace transfold;

namespace {

/// The single axis with a length; null if there is none, or more than one.
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

/// Whether each operation of a kernel does, so that the rows of several
/// sequences can be concatenated.
bool treatsRowsAlone(xf::KernelOp kernel) {
  for (Operation &op : kernel.getBody().front().without_terminator()) {
    auto law = dyn_cast<xf::BatchLawInterface>(op);
    if (!law || law.getBatchLaw() != xf::BatchLaw::Rows)
      return false;
  }
  return true;
}

/// Whether only launches read the value, and nothing that keeps one value per
/// sequence.
bool isReadByLaunches(Value value) {
  return llvm::all_of(value.getUsers(), [](Operation *user) {
    auto view = dyn_cast<xf::RearrangeOp>(user);
    return view ? isReadByLaunches(view.getResult()) : isa<xf::LaunchOp>(user);
  });
}

/// Whether the result is the same for all sequences, and computed once.
bool runsOnce(xf::LaunchOp launch) {
  return llvm::all_of(xf::getShape(launch.getResult().getType()),
                      xf::getNumber) &&
         llvm::all_of(launch.getOperands(), host::isForAll) &&
         isReadByLaunches(launch.getResult());
}

/// Whether a launch runs over the rows of all sequences. `sources`: chosen rows
/// are chosen from the rows of all sequences.
bool runsOverAllRows(xf::LaunchOp launch,
                     const DenseMap<Attribute, Attribute> &sources) {
  auto rowsChosenFrom = [&](Value value) {
    Attribute rows = rowsOf(value.getType());
    Attribute source = sources.lookup(rows);
    return source ? source : rows;
  };
  Attribute rows = rowsChosenFrom(launch.getResult());
  if (!rows)
    return false;
  for (Value operand : launch.getOperands())
    if (host::sourceOf(operand).getDefiningOp<xf::CacheReadOp>() ||
        (!host::isForAll(operand) && rowsChosenFrom(operand) != rows))
      return false; // each sequence has its own memory
  return treatsRowsAlone(launch.lookUpKernel());
}

struct DeriveBatch : host::impl::DeriveBatchBase<DeriveBatch> {
  void runOnOperation() override {
    auto sources = host::sourcesOfLengths(getOperation());
    // In program order, so that the producers of operands are already decided.
    getOperation().walk([&](xf::LaunchOp launch) {
      // A recurrence runs for one sequence after the other.
      bool together = isa<xf::ScanOp>(launch->getParentOp()) ||
                      runsOnce(launch) || runsOverAllRows(launch, sources);
      launch.setPerSequence(!together);
      ++(together ? rows : sequences);
    });
  }
};

} // namespace
