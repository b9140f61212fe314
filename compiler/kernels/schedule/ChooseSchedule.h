// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The numbers of a kernel's schedule on a machine, by rule.

#ifndef TRANSFOLD_COMPILER_KERNELS_SCHEDULE_CHOOSESCHEDULE_H
#define TRANSFOLD_COMPILER_KERNELS_SCHEDULE_CHOOSESCHEDULE_H

#include "compiler/kernels/schedule/Choices.h"

namespace transfold::kernels {

/// What a kernel's `schedule` says, for any number of rows or, where `isFew`,
/// for up to `fewRows`. Fails with a diagnostic where the kernel is not what
/// its anchor says.
mlir::FailureOr<Entries> chooseSchedule(xf::KernelOp kernel,
                                        const Machine &machine, bool isFew);

} // namespace transfold::kernels

#endif // TRANSFOLD_COMPILER_KERNELS_SCHEDULE_CHOOSESCHEDULE_H
