// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The parameters of a kernel's schedule on a machine, by rule.

#pragma once

#include "compiler/kernels/schedule/Anchors.h"

namespace transfold::kernels {

/// The entries of a kernel's `schedule`: of the general form, or of the small-M
/// form `few` if that is not null. Fails with a diagnostic if the kernel does
/// not have the form of its anchor.
mlir::FailureOr<Entries> chooseSchedule(xf::KernelOp kernel,
                                        const Machine &machine,
                                        const AnchorRecord::FewRows *few);

} // namespace transfold::kernels
