// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs the completions of all clients: a bounded queue, and the thread that
// runs them as one batch.

#pragma once

#include "base/NonCopyable.h"
#include "runtime/serve/engine/JobQueue.h"
#include "runtime/serve/engine/RunningBatch.h"

#include <thread>

namespace transfold::runtime::serve {

/// Its public functions are thread-safe.
class Scheduler : NonCopyable {
public:
  /// How many completions run at the same time, and how many wait.
  struct Limits {
    size_t parallel = 4, waiting = 32;
  };
  /// While this object lives, `steps` and its session must not be used by
  /// others.
  Scheduler(Steps &steps, const Tokenizer &tokenizer, Limits limits);
  ~Scheduler();

  /// Queues a job; the result goes to its stream. Throws ApiError if the queue
  /// is full, or after stop().
  void submit(CompletionJob job) {
    queue.add(std::move(job), isCancelledOrExpired);
  }
  /// Ends all completions and rejects new ones.
  void stop() { queue.stop(); }

  struct Numbers {
    size_t waiting = 0, running = 0;
    Usage totals;
  };
  Numbers numbers() const { return queue.withWaiting(known); }

private:
  RunningBatch batch; // used by the thread only
  JobQueue<CompletionJob> queue;
  Numbers known; // as of the last step
  std::thread thread;

  static bool isCancelledOrExpired(const CompletionJob &job);
  void work();
  /// Adds a job to the batch, or fails it.
  void admit(CompletionJob job);
  /// Copies the batch's numbers for other threads; the queue's mutex must be
  /// held.
  void note();
  bool next(bool isBlocked);
};

} // namespace transfold::runtime::serve
