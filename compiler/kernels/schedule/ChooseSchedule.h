// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The numbers of a kernel's schedule on a machine, by rule.

#ifndef TRANSFOLD_COMPILER_KERNELS_SCHEDULE_CHOOSESCHEDULE_H
#define TRANSFOLD_COMPILER_KERNELS_SCHEDULE_CHOOSESCHEDULE_H

#include "compiler/kernels/schedule/Anchors.h"

namespace transfold::kernels {

/// What a kernel's `schedule` says, for any number of rows or, where it has
/// one, of a form for few. Fails with a diagnostic where the kernel is not what
/// its anchor says.
mlir::FailureOr<Entries> chooseSchedule(xf::KernelOp kernel,
                                        const Machine &machine,
                                        const AnchorRecord::FewRows *few);

} // namespace transfold::kernels

#endif // TRANSFOLD_COMPILER_KERNELS_SCHEDULE_CHOOSESCHEDULE_H
