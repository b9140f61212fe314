// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Identifies a kernel independently of its name: a measured schedule is applied
// to the kernels with the same signature.

#pragma once

#include "dialect/Dialect.h"

#include <string>

namespace transfold::kernels {

/// 16 hexadecimal digits of a hash of the kernel's operations, types and
/// storage; names, locations and schedules do not affect it.
std::string signatureOf(xf::KernelOp kernel);

/// A description for people: "contraction: contract, add; [n, 384], [384, 1536]
/// f32 -> [n, 1536]".
std::string describe(xf::KernelOp kernel);

} // namespace transfold::kernels
