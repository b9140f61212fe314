// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Launches that run together. With few rows, a kernel takes some ten
// microseconds, of which two or three pass until all threads have begun it and
// the last one is done. Therefore kernels that are independent of each other
// are called by every thread, one after the other; of each kernel's parallel
// loop, a thread takes tasks that no other thread has taken, and continues with
// the next kernel when none are left.

#pragma once

#include "base/NonCopyable.h"
#include "runtime/kernels/ThreadPool.h"

#include <array>

namespace transfold::runtime::inline kernels {

/// The state shared by the threads that run the same kernels together.
class FusedLoops {
public:
  /// Maximum number of loops that run together
  /// (compiler/host/plan/JoinLaunches.cpp).
  static constexpr unsigned mostLoops = 64;

  FusedLoops(unsigned threads, uint64_t sameTasks)
      : threads(static_cast<int>(threads)), sameTasks(sameTasks) {}

  /// Runs tasks of this thread's next loop until the loop has none left;
  /// returns 0, or the code of a task that failed.
  int share(ThreadPool::Task task, void *context, int first, int size,
            uint8_t *closure);

  /// The joined loops that the calling thread runs; null if none.
  static FusedLoops *ofThread();

  /// While it lives, the loops of this thread are shared; they are numbered
  /// from 0.
  class Scope : NonCopyable {
  public:
    explicit Scope(FusedLoops &loops);
    ~Scope();
  };

private:
  /// Takes the range [begin, end) of tasks of loop `number` that no thread has
  /// taken yet; false if none are left.
  bool take(unsigned number, int size, int &begin, int &end);

  /// Number of threads that share the loops.
  int threads;
  /// Bit i: the tasks of loop i are divided as those of loop i - 1 were, so
  /// that each thread reads what it has written itself.
  uint64_t sameTasks;
  /// Number of tasks taken of each loop.
  std::array<std::atomic<int>, mostLoops> taken{};
};

/// Implements transfold_frame::together, on the pool of the calling thread's
/// PoolScope.
int32_t runTogether(int32_t (*calls)(void **values), void **values,
                    uint64_t sameTasks);

} // namespace transfold::runtime::inline kernels
