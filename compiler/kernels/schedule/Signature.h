// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a kernel is, whatever its name: by that, a schedule that was measured
// finds the kernels that it is for.

#ifndef TRANSFOLD_COMPILER_KERNELS_SCHEDULE_SIGNATURE_H
#define TRANSFOLD_COMPILER_KERNELS_SCHEDULE_SIGNATURE_H

#include "dialect/Dialect.h"

#include <string>

namespace transfold::kernels {

/// 16 hexadecimal digits of the kernel's operations, types and storage; names,
/// places and what schedules say are not part of it.
std::string signatureOf(xf::KernelOp kernel);

/// The same for people: "contraction: contract, add; [n, 384], [384, 1536] f32
/// -> [n, 1536]".
std::string describe(xf::KernelOp kernel);

} // namespace transfold::kernels

#endif // TRANSFOLD_COMPILER_KERNELS_SCHEDULE_SIGNATURE_H
