// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TRANSFOLD_COMPILER_KERNELS_SCHEDULE_ATTENTIONONLINEGPU_H
#define TRANSFOLD_COMPILER_KERNELS_SCHEDULE_ATTENTIONONLINEGPU_H

#include "compiler/kernels/schedule/Schedules.h"

namespace transfold::kernels {

/// Schedules an attention that has algorithm.online, in blocks of threads.
void scheduleOnlineAttention(Algorithm &algorithm, const Schedule &schedule);

/// As a kernel of its own, a thread for each number.
void onAllThreads(Halide::Func stage, int threads);

} // namespace transfold::kernels

#endif // TRANSFOLD_COMPILER_KERNELS_SCHEDULE_ATTENTIONONLINEGPU_H
