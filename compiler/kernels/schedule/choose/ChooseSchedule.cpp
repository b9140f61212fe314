// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Looks up the rule in the table of anchors.

#include "compiler/kernels/schedule/choose/ChooseSchedule.h"

using namespace mlir;
using namespace transfold;
using namespace transfold::kernels;

FailureOr<Entries> kernels::chooseSchedule(xf::KernelOp kernel,
                                           const Machine &machine,
                                           const AnchorRecord::FewRows *few) {
  const AnchorRecord &anchor = recordOf(kernel.getAnchor());
  const auto &form = machine.isGpu ? anchor.gpu : anchor.processor;
  return (few ? few->choose : form.choose)(kernel, machine);
}
