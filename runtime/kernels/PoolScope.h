// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which pool the loops of kernels run on. Kernels ask for a loop through a
// function of Halide's runtime, halide_do_par_for, that is not told which
// request it works for; hence a mark on the thread that calls them.

#ifndef TRANSFOLD_RUNTIME_KERNELS_POOLSCOPE_H
#define TRANSFOLD_RUNTIME_KERNELS_POOLSCOPE_H

#include "runtime/kernels/ThreadPool.h"

namespace transfold::runtime {

/// As long as it lives, kernels that this thread calls run their loops on
/// `pool`; then on the one before. Without any, a loop runs on the thread that
/// asks, as loops inside of a pool's task do.
class PoolScope {
public:
  explicit PoolScope(ThreadPool &pool);
  ~PoolScope();
  PoolScope(const PoolScope &) = delete;
  PoolScope &operator=(const PoolScope &) = delete;

  /// The calling thread's pool; null where it has none.
  static ThreadPool *current();

private:
  ThreadPool *before;
};

} // namespace transfold::runtime

#endif // TRANSFOLD_RUNTIME_KERNELS_POOLSCOPE_H
