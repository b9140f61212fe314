// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/kernels/schedule/ChooseSchedule.h"

#include "compiler/kernels/schedule/Anchors.h"

using namespace mlir;
using namespace transfold;
using namespace transfold::kernels;

FailureOr<Entries> kernels::chooseSchedule(xf::KernelOp kernel,
                                           const Machine &machine, bool isFew) {
  const AnchorRecord &anchor = recordOf(kernel.getAnchor());
  const auto &form = machine.isGpu ? anchor.gpu : anchor.processor;
  return (isFew ? anchor.fewRows->choose : form.choose)(kernel, machine);
}
