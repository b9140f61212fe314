// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which variant of the kernels this processor runs.

#ifndef TRANSFOLD_RUNTIME_PROGRAM_PROCESSOR_H
#define TRANSFOLD_RUNTIME_PROGRAM_PROCESSOR_H

#include "runtime/program/Program.h"

#include <span>
#include <string>
#include <string_view>

namespace transfold::runtime {

/// The first instructions of `target` (x86-64-linux-avx-avx2-…) that this
/// processor lacks: "avx2"; empty where it has all.
std::string lacking(std::string_view target);

/// The first variant that this processor can run, or the one that the
/// environment variable TRANSFOLD_CPU names. Throws Error.
const transfold_variant &
chooseVariant(std::span<const transfold_variant> variants);

} // namespace transfold::runtime

#endif // TRANSFOLD_RUNTIME_PROGRAM_PROCESSOR_H
