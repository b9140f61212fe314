// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// -xf-choose-storage: how weights, and what kernels hand to each other, will be
// stored.
//
//   xf.kernel @k(%x, %W: !xf.real<384, 1536>)
//       attributes {anchor = #xf.anchor<contraction>}
//     becomes
//   xf.kernel @k(%x, %W: !xf.real<384, 1536>
//                    {xf.storage = #xf.storage<bf16, <32, 2>>})
//
// Kernels whose launches pass weights in several formats become several first.
// Numbers stay in the format of the checkpoint where that is what the equations
// read. A contraction's matrix lies in panels: it is read in one stream. A
// table that is also a head is read from the panels of the head. Exact: formats
// are kept, places change. All variants of a kernel, for whatever processor,
// read the same, so that a program has one copy. A device widens numbers where
// it reads them, and multiplies in float32: rows of its matrices are not in
// pairs.

#include "compiler/kernels/Passes.h"
#include "compiler/kernels/schedule/Anchors.h"
#include "compiler/kernels/schedule/StoredOperands.h"
#include "compiler/kernels/schedule/Target.h"

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
    bool isForGpu = false;
    try {
      isForGpu = kernels::describeMachines(target).front().isGpu;
    } catch (const std::exception &error) {
      getOperation().emitError(error.what());
      return signalPassFailure();
    }
    // What kernels of a device hand to each other are words of 32 bits.
    if (!isForGpu)
      rounded += kernels::storeRounded(getOperation());
    split += kernels::splitByFormats(getOperation());
    kernels::readRounded(getOperation());
    for (auto kernel : getOperation().getOps<xf::KernelOp>()) {
      // One that has a target says itself what it reads.
      if (kernel.getTarget())
        continue;
      kernels::keepFormats(kernel);
      if (kernels::recordOf(kernel.getAnchor()).readsPanels)
        kernels::packMatrices(kernel, isForGpu);
    }
    shared += kernels::shareTables(getOperation());
  }
};
} // namespace
