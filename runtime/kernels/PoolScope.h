// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The pool on which the loops of kernels run. Kernels start a loop through a
// function of Halide's runtime, halide_do_par_for, which does not know the
// request; therefore the pool is attached to the thread that calls the kernels.

#pragma once

#include "base/NonCopyable.h"
#include "runtime/kernels/ThreadPool.h"

namespace transfold::runtime::inline kernels {

/// While it lives, kernels called by this thread run their loops on `pool`;
/// afterwards on the previous pool. Without a pool, a loop runs on the calling
/// thread, as do loops inside a pool's task.
class PoolScope : NonCopyable {
public:
  explicit PoolScope(ThreadPool &pool);
  ~PoolScope();

  /// The calling thread's pool; null if it has none.
  static ThreadPool *current();

private:
  /// The pool that the destructor restores; may be null.
  ThreadPool *before;
};

} // namespace transfold::runtime::inline kernels
