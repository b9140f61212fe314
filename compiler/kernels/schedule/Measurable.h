// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The numbers of a schedule that may be measured instead of chosen by a rule:
// those that change no bit of a result. Others fix how sums are made (`depth`,
// `part`, `across`, the `keys` and `lanes` in which rows are reduced) or what
// is computed at all (`widen`, `dot`, bounds of keys), and stay with the rule.

#ifndef TRANSFOLD_COMPILER_KERNELS_SCHEDULE_MEASURABLE_H
#define TRANSFOLD_COMPILER_KERNELS_SCHEDULE_MEASURABLE_H

#include "compiler/kernels/schedule/Choices.h"
#include "compiler/kernels/schedule/ScheduleFile.h"

#include <string>
#include <vector>

namespace transfold::kernels {

/// What an anchor's schedules on processors have that may be measured.
struct Measurable {
  /// A number, and the largest that makes sense: what is unrolled stays small.
  struct Number {
    llvm::StringRef name;
    int64_t most;
  };
  llvm::ArrayRef<Number> numbers;

  /// Why these numbers are no schedule of the kernel; empty where they are.
  std::string (*problem)(xf::KernelOp kernel, const Machine &machine,
                         const Entries &entries);

  /// Variations of the numbers that the rule chose, which may be faster. Some
  /// may not fit the kernel.
  std::vector<Entries> (*variations)(const Machine &machine,
                                     const Entries &chosen);
};

extern const Measurable measurableContraction, measurableAttention,
    measurableRows, measurableReduction;

/// Sets numbers of a kernel's schedule on a processor. Returns why it cannot be
/// ("rows: 40 is not 1 to 16"), or an empty text.
std::string setMeasured(xf::KernelOp kernel, const Machine &machine,
                        Entries &entries, const Numbers &numbers);

/// What is worth a try beside `chosen`, at most `mostCandidates`.
std::vector<Entries> candidatesOf(xf::KernelOp kernel, const Machine &machine,
                                  const Entries &chosen);

/// Each is a kernel to build and a turn in every round of a measurement.
constexpr size_t mostCandidates = 8;

} // namespace transfold::kernels

#endif // TRANSFOLD_COMPILER_KERNELS_SCHEDULE_MEASURABLE_H
