// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Selection of the kernel variant for this processor.

#pragma once

#include "runtime/program/Program.h"

#include <span>
#include <string>
#include <string_view>

namespace transfold::runtime::inline program {

/// The first extension in `target` (x86-64-linux-avx-avx2-…) that this
/// processor lacks, such as "avx2"; empty if it has all of them.
std::string lacking(std::string_view target);

/// The first variant that this processor can run, or the one that the
/// environment variable TRANSFOLD_CPU names. Throws Error if there is none.
const transfold_variant &
chooseVariant(std::span<const transfold_variant> variants);

} // namespace transfold::runtime::inline program
