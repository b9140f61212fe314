// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What this folder knows of each anchor, in one table. Where operations become
// anchors is compiler/fuse/FormKernels.cpp.

#ifndef TRANSFOLD_COMPILER_KERNELS_SCHEDULE_ANCHORS_H
#define TRANSFOLD_COMPILER_KERNELS_SCHEDULE_ANCHORS_H

#include "compiler/kernels/schedule/Choices.h"
#include "compiler/kernels/schedule/Measurable.h"
#include "compiler/kernels/schedule/Schedules.h"

namespace transfold::kernels {

struct AnchorRecord {
  /// A kind of machine: how the entries of a schedule are chosen, and what is
  /// made of them. `schedule` throws std::runtime_error where the region is not
  /// what it is for.
  struct Form {
    Choose *choose;
    void (*schedule)(Algorithm &algorithm, const Schedule &schedule);
  };
  /// Another form, for the few rows of a step.
  struct FewRows {
    const char *suffix; // of its name
    int64_t rows;       // that it is for, at most
    bool (*isPossible)(xf::KernelOp kernel);
    Choose *choose;
    /// All that it writes for others is written in a single parallel loop.
    bool isOneLoop;
  };

  xf::Anchor anchor;
  /// The entry of the schedule that says in how many lanes rows are reduced.
  const char *lanes;
  /// Long sums are made in parts: the schedule has `depth`.
  bool isInParts;
  /// Matrices of weights are stored in panels.
  bool readsPanels;
  Form processor, gpu;
  /// Those for more rows first.
  llvm::ArrayRef<FewRows> fewRows, fewRowsOnGpu;
  /// What may be measured, on processors.
  const Measurable *measurable;
};

const AnchorRecord &recordOf(xf::Anchor anchor);

} // namespace transfold::kernels

#endif // TRANSFOLD_COMPILER_KERNELS_SCHEDULE_ANCHORS_H
