// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The threads behind the kernels' parallel loops. A transformer runs hundreds
// of short loops one after the other, so that what counts is how fast a loop
// starts and ends: workers spin for a moment before they sleep, and a loop ends
// when its tasks are done, whether or not every worker has noticed it.

#ifndef TRANSFOLD_RUNTIME_KERNELS_THREADPOOL_H
#define TRANSFOLD_RUNTIME_KERNELS_THREADPOOL_H

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <thread>
#include <vector>

namespace transfold::runtime {

class ThreadPool {
public:
  /// One iteration of a loop. Returns 0, or an error code; must not throw.
  using Task = int (*)(void *context, int index, uint8_t *closure);

  /// A pool of one thread: the caller's.
  ThreadPool() = default;
  ~ThreadPool() { setThreads(1); }
  ThreadPool(const ThreadPool &) = delete;
  ThreadPool &operator=(const ThreadPool &) = delete;

  /// How many threads work on a loop, the caller among them; at least 1. Not
  /// while a loop runs.
  void setThreads(unsigned count);
  unsigned threads() const { return 1 + static_cast<unsigned>(workers.size()); }

  /// Runs `task` for `size` indices from `first` on and returns when all are
  /// done: 0, or the code of a task that failed. Loops inside of a task, of
  /// this pool or another, and loops of a second thread while one runs, run on
  /// the thread that asks.
  int parallelFor(Task task, void *context, int first, int size,
                  uint8_t *closure);

  /// The same without a pool.
  static int runInline(Task task, void *context, int first, int size,
                       uint8_t *closure);

private:
  /// The loop that runs. Workers read it at any time, also while the next loop
  /// is being written, hence atomics; what they read counts only if they then
  /// manage to take a task out of `ticket`.
  struct Loop {
    std::atomic<Task> task{nullptr};
    std::atomic<void *> context{nullptr};
    std::atomic<uint8_t *> closure{nullptr};
    std::atomic<int> first{0};
    std::atomic<int> size{0};
  };

  Loop loop;
  /// Number of the loop in the upper half, tasks that nobody has taken yet in
  /// the lower. A task is taken by counting down the whole word, which fails if
  /// the loop has changed: a late worker can never take a task of a loop whose
  /// description it has not read. With nothing left to take, the description is
  /// the caller's to rewrite.
  alignas(64) std::atomic<uint64_t> ticket{0};
  alignas(64) std::atomic<int> done{0};
  std::atomic<int> failure{0};
  std::atomic<bool> stopping{false};

  std::mutex oneLoopAtATime;
  std::vector<std::thread> workers;

  std::atomic<int> sleepers{0};
  std::mutex sleepMutex;
  std::condition_variable wake;

  void work(uint64_t seen);
  void runTasks();
  uint64_t waitForLoop(uint64_t seen);
  void wakeSleepers();
};

} // namespace transfold::runtime

#endif // TRANSFOLD_RUNTIME_KERNELS_THREADPOOL_H
