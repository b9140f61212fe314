// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// -xf-choose-storage: how weights, and values that one kernel passes to
// another, are stored.
//
//   xf.kernel @k(%x, %W: !xf.real<384, 1536>)
//       attributes {anchor = #xf.anchor<contraction>}
//     becomes
//   xf.kernel @k(%x, %W: !xf.real<384, 1536>
//                    {xf.storage = #xf.storage<bf16, <32, 2>>})
//
// Kernels whose launches pass weights in several formats are split first.
// Weights keep the format of the checkpoint if the equations read its values
// unchanged. The matrix of a contraction is stored in panels, so that it is
// read as one stream. A table that is also the output head is read from the
// panels of the head. This is exact: formats are kept, only places change. All
// variants of a kernel, for all processors, read the same storage, so that a
// program has one copy. A device widens values where it reads them, and
// multiplies in float32, so that rows of its matrices are not interleaved in
// pairs, except for tensor cores.

#include "compiler/kernels/Passes.h"
#include "compiler/kernels/schedule/Anchors.h"
#include "compiler/kernels/schedule/choose/StoredOperands.h"
#include "compiler/kernels/schedule/choose/Target.h"

using namespace mlir;
using namespace transfold;

namespace transfold::kernels {
#define GEN_PASS_DEF_CHOOSESTORAGE
#include "compiler/kernels/Passes.h.inc"
} // namespace transfold::kernels

namespace {
struct ChooseStorage : kernels::impl::ChooseStorageBase<ChooseStorage> {
  using ChooseStorageBase::ChooseStorageBase;

  void runOnOperation() override {
    kernels::Machine machine;
    try {
      machine = kernels::describeMachines(target).front();
    } catch (const std::exception &error) {
      getOperation().emitError(error.what());
      return signalPassFailure();
    }
    // Caches of a device are words of 32 bits.
    rounded += kernels::storeRounded(getOperation(),
                                     /*inCaches=*/!machine.isGpu);
    split += kernels::splitByFormats(getOperation());
    kernels::readRounded(getOperation());
    for (auto kernel : getOperation().getOps<xf::KernelOp>()) {
      // The storage of a kernel that has a target is given already.
      if (kernel.getTarget())
        continue;
      kernels::keepFormats(kernel);
      if (kernels::recordOf(kernel.getAnchor()).readsPanels)
        kernels::packMatrices(kernel, machine);
    }
    shared += kernels::shareTables(getOperation());
  }
};
} // namespace
