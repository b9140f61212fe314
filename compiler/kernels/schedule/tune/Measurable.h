// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The parameters of a schedule that may be measured instead of chosen by a
// rule: those that change no bit of a result. Others determine how sums are
// computed (`depth`, `part`, `across`, the `keys` and `lanes` in which rows are
// reduced) or what is computed at all (`widen`, `dot`, bounds of keys), and
// stay with the rule.

#pragma once

#include "compiler/kernels/schedule/choose/Choices.h"
#include "compiler/kernels/schedule/tune/ScheduleFile.h"

#include <string>
#include <vector>

namespace transfold::kernels {

/// The measurable parameters of an anchor's schedules on processors.
struct Measurable {
  /// A parameter, and its largest sensible value: unrolled code must stay
  /// small.
  struct Number {
    Parameter parameter;
    int64_t most;
  };
  llvm::ArrayRef<Number> numbers;

  /// The reason why these entries are not a schedule of the kernel; empty if
  /// they are.
  std::string (*problem)(xf::KernelOp kernel, const Machine &machine,
                         const Entries &entries);

  /// Variations of the entries that the rule chose, which may be faster. Some
  /// may not fit the kernel.
  std::vector<Entries> (*variations)(const Machine &machine,
                                     const Entries &chosen);
};

/// The measurable parameters of each anchor.
extern const Measurable measurableContraction, measurableAttention,
    measurableRows, measurableReduction, measurableScan;

/// Sets parameters of a kernel's schedule on a processor. Returns the reason if
/// this is not possible ("rows: 40 is not in the range 1 to 16"), else an empty
/// string.
std::string setMeasured(xf::KernelOp kernel, const Machine &machine,
                        Entries &entries, const Numbers &numbers);

/// The schedules, other than `chosen`, that are worth a trial, at most
/// `mostCandidates`.
std::vector<Entries> candidatesOf(xf::KernelOp kernel, const Machine &machine,
                                  const Entries &chosen);

/// Each candidate is a kernel to build, and a turn in every round of a
/// measurement.
constexpr size_t mostCandidates = 8;

} // namespace transfold::kernels
