// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The thread pool for the kernels' parallel loops. A transformer runs hundreds
// of short loops one after the other, so the time to start and end a loop is
// essential: workers spin for a moment before they sleep, and a loop ends when
// its tasks are done, whether or not every worker has noticed it.

#pragma once

#include "base/NonCopyable.h"

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <thread>
#include <vector>

namespace transfold::runtime::inline kernels {

/// A fixed number of threads that run one loop at a time.
class ThreadPool : NonCopyable {
public:
  /// One iteration of a loop. Returns 0, or an error code; must not throw.
  using Task = int (*)(void *context, int index, uint8_t *closure);

  /// A pool with one thread: the caller's.
  ThreadPool() = default;
  ~ThreadPool() { setThreads(1); }

  /// Sets the number of threads that work on a loop, the caller included; at
  /// least 1. Must not be called while a loop runs.
  void setThreads(unsigned count);
  unsigned threads() const { return 1 + static_cast<unsigned>(workers.size()); }

  /// Runs `task` for `size` indices from `first` on and returns when all are
  /// done: 0, or the code of a task that failed. Loops inside a task, of this
  /// pool or another one, and loops that a second thread starts while one is
  /// running, run on the calling thread.
  int parallelFor(Task task, void *context, int first, int size,
                  uint8_t *closure);

  /// The same without a pool, on the calling thread.
  static int runInline(Task task, void *context, int first, int size,
                       uint8_t *closure);

private:
  /// The current loop. Workers read it at any time, also while the next loop is
  /// being written, hence the atomics; the values are used only if the worker
  /// then succeeds in taking a task from `ticket`.
  struct Loop {
    std::atomic<Task> task{nullptr};
    std::atomic<void *> context{nullptr};
    std::atomic<uint8_t *> closure{nullptr};
    std::atomic<int> first{0};
    std::atomic<int> size{0};
  };

  Loop loop;
  /// Number of the loop in the upper half, number of tasks not taken yet in the
  /// lower half. A task is taken by decrementing the whole word with
  /// compare-and-swap, which fails if the loop has changed: a late worker can
  /// never take a task of a loop whose description it has not read. When no
  /// task is left, the caller may overwrite the description.
  alignas(64) std::atomic<uint64_t> ticket{0};
  /// Number of finished tasks of the current loop; the caller waits until it is
  /// the loop's size. In another cache line than `ticket`, which waiting
  /// workers poll.
  alignas(64) std::atomic<int> done{0};
  /// Code of a task that failed, or 0; if several fail, one of their codes.
  std::atomic<int> failure{0};
  /// Tells the workers to return.
  std::atomic<bool> stopping{false};

  /// Held while a loop runs, and while the number of threads changes.
  std::mutex oneLoopAtATime;
  std::vector<std::thread> workers;

  /// Number of workers that wait for `wake`, or are about to.
  std::atomic<int> sleepers{0};
  std::mutex sleepMutex;
  std::condition_variable wake;

  /// What a worker runs; `seen` is the number of the last loop before it began.
  void work(uint64_t seen);
  /// Takes and runs tasks of the current loop until none are left.
  void runTasks();
  /// Returns the number of the current loop as soon as it is not `seen`, or
  /// when the worker must stop.
  uint64_t waitForLoop(uint64_t seen);
  /// Wakes all workers that sleep.
  void wakeSleepers();
};

} // namespace transfold::runtime::inline kernels
