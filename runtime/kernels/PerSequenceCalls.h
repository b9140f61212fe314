// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Calls that each run on one thread. A short kernel would be started on all
// threads once per sequence, and threads without a task would wait; if there
// are at least as many sequences as threads, each thread processes whole
// sequences one after the other instead.

#pragma once

#include "runtime/kernels/ThreadPool.h"

namespace transfold::runtime::inline kernels {

/// Maximum number of concurrent calls (compiler/host/emit/EmitPerSequence.cpp).
constexpr size_t mostCallsOfEach = 8;

/// Whether every thread gets a call of its own.
inline bool isWorthEach(const ThreadPool &pool, size_t sequences) {
  return pool.threads() > 1 && pool.threads() <= mostCallsOfEach &&
         sequences >= pool.threads();
}

/// Implements transfold_frame::each, on the pool of the calling thread's
/// PoolScope.
int32_t runEach(int32_t (*call)(void **values), void **values, int64_t stride,
                int64_t count);

} // namespace transfold::runtime::inline kernels
