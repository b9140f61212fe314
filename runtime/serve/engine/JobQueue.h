// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A bounded queue of jobs for a thread of its own; it can be closed.

#pragma once

#include "runtime/serve/api/ApiError.h"

#include <condition_variable>
#include <deque>
#include <mutex>
#include <utility>

namespace transfold::runtime::serve {

/// Used by the submitting threads and by one consuming thread.
template <typename Job> struct JobQueue {
  explicit JobQueue(size_t most) : most(most) {}

  /// Throws ApiError if the queue is full, or after stop(). If it is full, jobs
  /// for which `isCancelledOrExpired` returns true are removed first.
  template <typename Predicate>
  void add(Job job, Predicate isCancelledOrExpired) {
    std::lock_guard lock(mutex);
    if (isStopping)
      throw serverIsStopping();
    if (jobs.size() >= most)
      std::erase_if(jobs, isCancelledOrExpired);
    if (jobs.size() >= most)
      throw ApiError(429,
                     "Too many requests are waiting; try again in a moment.",
                     "", "queue_full");
    jobs.push_back(std::move(job));
    isNew.notify_one();
  }
  /// The same for pointers to jobs that know whether they are.
  void add(Job job) {
    add(std::move(job),
        [](const Job &waiting) { return waiting->isCancelledOrExpired(); });
  }
  /// The thread's counters, and how many jobs wait.
  template <typename Numbers> Numbers withWaiting(const Numbers &known) const {
    std::lock_guard lock(mutex);
    Numbers result = known;
    result.waiting = jobs.size();
    return result;
  }
  /// Rejects further jobs and wakes the thread.
  void stop() {
    std::lock_guard lock(mutex);
    isStopping = true;
    isNew.notify_one();
  }

  const size_t most;
  /// Guards all members below, and the thread's counters that others read.
  mutable std::mutex mutex;
  std::condition_variable isNew;
  std::deque<Job> jobs;
  bool isStopping = false;
};

} // namespace transfold::runtime::serve
