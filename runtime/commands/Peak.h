// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TRANSFOLD_RUNTIME_COMMANDS_PEAK_H
#define TRANSFOLD_RUNTIME_COMMANDS_PEAK_H

#include "runtime/program/Metadata.h"

namespace transfold::runtime {

/// Multiplications and additions of one core now, a second, where products are
/// of such numbers; with the instructions that this processor has for them,
/// else those for float32. 0 where this program does not know the processor.
double measurePeak(Products products);

/// Seconds on a clock that only goes forward.
double now();

} // namespace transfold::runtime

#endif // TRANSFOLD_RUNTIME_COMMANDS_PEAK_H
