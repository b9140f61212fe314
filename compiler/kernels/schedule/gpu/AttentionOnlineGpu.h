// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Attentions on a GPU that keep no scores in memory.

#pragma once

#include "compiler/kernels/schedule/Schedules.h"

namespace transfold::kernels {

/// Schedules an attention with algorithm.online, in thread blocks.
void scheduleOnlineAttention(Algorithm &algorithm, const Schedule &schedule);

/// Schedules a stage as a device kernel of its own, with one thread for each
/// value and `threads` threads in a block.
void onAllThreads(Halide::Func stage, int threads);

} // namespace transfold::kernels
