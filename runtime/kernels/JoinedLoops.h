// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Launches that run together. With few rows a kernel takes some ten
// microseconds, and two or three of them go by until all threads have begun it
// and the last is done. Kernels that do not need each other's results are
// called by every thread, one after the other; of the parallel loop that each
// begins a thread takes tasks that nobody has, and goes on with the next kernel
// when there are none left.

#ifndef TRANSFOLD_RUNTIME_KERNELS_JOINEDLOOPS_H
#define TRANSFOLD_RUNTIME_KERNELS_JOINEDLOOPS_H

#include "runtime/kernels/ThreadPool.h"

#include <array>

namespace transfold::runtime {

/// What threads share that run the same kernels together.
class JoinedLoops {
public:
  /// At most so many loops run together (compiler/host/plan/JoinLaunches.cpp).
  static constexpr unsigned mostLoops = 64;

  JoinedLoops(unsigned threads, uint64_t sameTasks)
      : threads(static_cast<int>(threads)), sameTasks(sameTasks) {}

  /// Takes tasks of the calling thread's next loop until nobody has to; 0, or
  /// the code of one that failed.
  int share(ThreadPool::Task task, void *context, int first, int size,
            uint8_t *closure);

  /// Those that the calling thread is at; null where it is at none.
  static JoinedLoops *ofThread();

  /// As long as it lives, loops of this thread are shared; they are counted
  /// from 0.
  class Scope {
  public:
    explicit Scope(JoinedLoops &loops);
    ~Scope();
    Scope(const Scope &) = delete;
    Scope &operator=(const Scope &) = delete;
  };

private:
  /// Tasks of loop `number` that are nobody's yet: `begin` and behind it, up to
  /// `end`; false where there are none.
  bool take(unsigned number, int size, int &begin, int &end);

  int threads;
  uint64_t sameTasks;
  /// How many tasks of each loop were taken.
  std::array<std::atomic<int>, mostLoops> taken{};
};

/// transfold_frame's `together`, on the pool of the calling thread's PoolScope.
int32_t runTogether(int32_t (*calls)(void **values), void **values,
                    uint64_t sameTasks);

} // namespace transfold::runtime

#endif // TRANSFOLD_RUNTIME_KERNELS_JOINEDLOOPS_H
