// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The arithmetic speed of a core, measured by instructions on registers.

#pragma once

#include "runtime/program/metadata/Metadata.h"

namespace transfold::runtime::inline commands {

/// Multiplications and additions per second of the current core for products of
/// this type, with the processor's instructions for it, or else those for
/// float32. 0 if the processor is not supported by this measurement.
double measurePeak(Products products);

/// Seconds on a monotonic clock.
double now();

} // namespace transfold::runtime::inline commands
