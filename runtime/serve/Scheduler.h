// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Completions of all clients: a queue with a limit, and the thread that runs
// them together.

#ifndef TRANSFOLD_RUNTIME_SERVE_SCHEDULER_H
#define TRANSFOLD_RUNTIME_SERVE_SCHEDULER_H

#include "runtime/serve/JobQueue.h"
#include "runtime/serve/RunningBatch.h"

#include <thread>

namespace transfold::runtime::serve {

class Scheduler {
public:
  struct Limits {
    size_t parallel = 4, waiting = 32;
  };
  /// Nobody else uses `steps`, nor its session, as long as this lives.
  Scheduler(Steps &steps, const Tokenizer &tokenizer, Limits limits);
  ~Scheduler();
  Scheduler(const Scheduler &) = delete;
  Scheduler &operator=(const Scheduler &) = delete;

  /// Takes the job on; its stream says what becomes of it. Throws ApiError
  /// where too many wait already, or after stop().
  void submit(CompletionJob job) { queue.add(std::move(job), isUnwanted); }
  /// Ends all completions and takes no more.
  void stop() { queue.stop(); }

  struct Numbers {
    size_t waiting = 0, running = 0;
    Usage totals;
  };
  Numbers numbers() const;

private:
  RunningBatch batch; // of the thread
  JobQueue<CompletionJob> queue;
  Numbers known; // of the last step
  std::thread thread;

  static bool isUnwanted(const CompletionJob &job);
  void work();
  void admit(CompletionJob job);
  void note();
  bool next(bool isBlocked);
};

} // namespace transfold::runtime::serve

#endif // TRANSFOLD_RUNTIME_SERVE_SCHEDULER_H
