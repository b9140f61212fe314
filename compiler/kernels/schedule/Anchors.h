// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The properties of each anchor that this folder uses, in one table. The pass
// that assigns anchors to operations is compiler/fuse/form/FormKernels.cpp.

#pragma once

#include "compiler/kernels/schedule/Schedules.h"
#include "compiler/kernels/schedule/choose/Choices.h"
#include "compiler/kernels/schedule/tune/Measurable.h"

namespace transfold::kernels {

/// The properties of one anchor.
struct AnchorRecord {
  /// For one kind of machine: the function that chooses the entries of a
  /// schedule, and the one that applies them. `schedule` throws
  /// std::runtime_error if the region does not have the expected form.
  struct Form {
    Choose *choose;
    void (*schedule)(Algorithm &algorithm, const Schedule &schedule);
  };
  /// A small-M form of a kernel, for the few rows of a decode step.
  struct FewRows {
    const char *suffix; // of the kernel's name
    int64_t rows;       // the largest number of rows
    bool (*isPossible)(xf::KernelOp kernel);
    Choose *choose;
    /// Everything that other kernels read is written in a single parallel loop.
    bool isOneLoop;
  };

  xf::Anchor anchor;
  /// The schedule's entry with the number of lanes in which rows are reduced.
  Parameter lanes;
  /// Long sums are computed in parts: the schedule has `depth`.
  bool isInParts;
  /// Matrices of weights are stored in panels.
  bool readsPanels;
  Form processor, gpu;
  /// The small-M forms, in descending order of their number of rows.
  llvm::ArrayRef<FewRows> fewRows, fewRowsOnGpu;
  /// The schedules that may be measured, on processors.
  const Measurable *measurable;
};

/// The record of an anchor.
const AnchorRecord &recordOf(xf::Anchor anchor);

} // namespace transfold::kernels
