// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How much a run has to do, and how near its kernels are to the machine's
// limits.

#ifndef TRANSFOLD_RUNTIME_COMMANDS_KERNELWORK_H
#define TRANSFOLD_RUNTIME_COMMANDS_KERNELWORK_H

#include "runtime/commands/KernelTimes.h"
#include "runtime/commands/MachineLimits.h"

#include <span>

namespace transfold::runtime {

/// The lengths of one sequence of a run, and the rows seen of each, those of
/// the run among them.
struct SequenceLengths {
  std::vector<double> lengths, seen;
};

/// Multiplications and additions of a run, as far as they are known.
double operationsOf(const Entry &entry,
                    std::span<const SequenceLengths> sequences);

/// Says of each row of a run which share of the nearer limit it reaches, where
/// what the kernel does is known.
void addLimits(std::vector<KernelTimes::Row> &rows, const Metadata &metadata,
               const Entry &entry, std::span<const SequenceLengths> sequences,
               const MachineLimits &limits);

/// As given on the command line, else measured: of what the program runs on.
/// How fast a device multiplies is not measured, and its memory by copying.
MachineLimits limitsFor(const std::string &given, const Session &session);

} // namespace transfold::runtime

#endif // TRANSFOLD_RUNTIME_COMMANDS_KERNELWORK_H
