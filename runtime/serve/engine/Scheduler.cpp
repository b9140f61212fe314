// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The loop of the thread that owns the batch. The queue's mutex is never held
// during a step, so that requests can be submitted meanwhile.

#include "runtime/serve/engine/Scheduler.h"

#include <utility>

namespace transfold::runtime::serve {

namespace {

/// Interval of the checks whether a slow reader has read its answer, or whether
/// the client of a queued request has disconnected.
constexpr std::chrono::milliseconds pause{5};

} // namespace

Scheduler::Scheduler(Steps &steps, const Tokenizer &tokenizer, Limits limits)
    : batch(steps, tokenizer, limits.parallel), queue(limits.waiting),
      thread([this] { work(); }) {}

Scheduler::~Scheduler() {
  stop();
  thread.join();
}

/// For a queued job: whether its client has disconnected or its deadline has
/// passed; in the latter case the client gets an error.
bool Scheduler::isCancelledOrExpired(const CompletionJob &job) {
  bool isLate = Clock::now() >= job.deadline;
  if (isLate)
    job.stream->fail(
        deadlineHasPassed("The request waited longer than its time limit."));
  return isLate || job.stream->isCancelled();
}

void Scheduler::admit(CompletionJob job) {
  std::shared_ptr<AnswerStream> stream = job.stream;
  try {
    batch.admit(std::move(job));
  } catch (const std::exception &error) { // not enough memory
    stream->fail(ApiError(500, error.what()));
  }
}

void Scheduler::note() {
  known.running = batch.size();
  known.totals = batch.totals();
}

/// Admits queued jobs; waits if there is nothing to do. Returns false if the
/// server is stopping.
bool Scheduler::next(bool isBlocked) {
  std::unique_lock lock(queue.mutex);
  note();
  if (isBlocked)
    queue.isNew.wait_for(lock, pause);
  else if (batch.isEmpty())
    queue.isNew.wait(
        lock, [this] { return queue.isStopping || !queue.jobs.empty(); });
  std::erase_if(queue.jobs, isCancelledOrExpired);
  if (queue.isStopping)
    return false;
  while (batch.hasRoom() && !queue.jobs.empty()) {
    CompletionJob job = std::move(queue.jobs.front());
    queue.jobs.pop_front();
    admit(std::move(job));
  }
  note();
  return true;
}

void Scheduler::work() {
  bool isBlocked = false;
  while (next(isBlocked))
    isBlocked = !batch.isEmpty() && !batch.step() && !batch.isEmpty();
  std::lock_guard lock(queue.mutex);
  batch.failAll(serverIsStopping());
  for (const CompletionJob &job : queue.jobs)
    job.stream->fail(serverIsStopping());
  queue.jobs.clear();
  note();
}

} // namespace transfold::runtime::serve
