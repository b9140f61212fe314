// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The work of a run, and how close its kernels come to the machine's limits.

#pragma once

#include "runtime/commands/bench/KernelTimes.h"
#include "runtime/commands/bench/MachineLimits.h"

#include <span>

namespace transfold::runtime::inline commands {

/// The lengths of one sequence of a run, and the number of visible rows for
/// each, those of the run included.
struct SequenceLengths {
  std::vector<double> lengths, seen;
};

/// Multiplications and additions of a run, as far as they are known.
double operationsOf(const Entry &entry,
                    std::span<const SequenceLengths> sequences);

/// Sets the share of the tighter limit that each row of a run reaches, if the
/// work of the kernel is known.
void addLimits(std::vector<KernelTimes::Row> &rows, const Metadata &metadata,
               const Entry &entry, std::span<const SequenceLengths> sequences,
               const MachineLimits &limits);

/// The limits given on the command line, else measured for the hardware that
/// the program runs on. For a device, arithmetic speed is not measured, and
/// memory bandwidth is measured by copying.
MachineLimits limitsFor(const std::string &given, const Session &session);

} // namespace transfold::runtime::inline commands
