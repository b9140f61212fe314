// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Calls that each run on one thread. What is short is started on all threads as
// often as there are sequences, and a thread without a task waits; where there
// are as many sequences as threads, each takes one after the other instead.

#ifndef TRANSFOLD_RUNTIME_KERNELS_EACHCALL_H
#define TRANSFOLD_RUNTIME_KERNELS_EACHCALL_H

#include "runtime/kernels/ThreadPool.h"

namespace transfold::runtime {

/// At most so many calls at a time (compiler/host/emit/EmitEntry.cpp).
constexpr size_t mostCallsOfEach = 8;

/// Whether every thread has a call of its own.
inline bool isWorthEach(const ThreadPool &pool, size_t sequences) {
  return pool.threads() > 1 && pool.threads() <= mostCallsOfEach &&
         sequences >= pool.threads();
}

/// transfold_frame's `each`, on the pool of the calling thread's PoolScope.
int32_t runEach(int32_t (*call)(void **values), void **values, int64_t stride,
                int64_t count);

} // namespace transfold::runtime

#endif // TRANSFOLD_RUNTIME_KERNELS_EACHCALL_H
