// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/serve/Scheduler.h"

#include <utility>

namespace transfold::runtime::serve {

namespace {

ApiError stopping() {
  return {503, "The server is stopping.", "", "server_stopping"};
}

/// How often is looked whether a slow reader has read, or a client has gone
/// that still waits in the queue.
constexpr std::chrono::milliseconds pause{5};

} // namespace

Scheduler::Scheduler(Steps &steps, const Tokenizer &tokenizer, Limits limits)
    : limits(limits), batch(steps, tokenizer, limits.parallel),
      thread([this] { work(); }) {}

Scheduler::~Scheduler() {
  stop();
  thread.join();
}

void Scheduler::submit(CompletionJob job) {
  std::lock_guard lock(mutex);
  if (isStopping)
    throw stopping();
  if (queue.size() >= limits.waiting)
    throw ApiError(429, "Too many requests are waiting; try again in a moment.",
                   "", "queue_full");
  queue.push_back(std::move(job));
  isNew.notify_one();
}

void Scheduler::stop() {
  std::lock_guard lock(mutex);
  isStopping = true;
  isNew.notify_one();
}

Scheduler::Numbers Scheduler::numbers() const {
  std::lock_guard lock(mutex);
  Numbers result = known;
  result.waiting = queue.size();
  return result;
}

/// Of those that wait in the queue.
void Scheduler::dropUnwanted() {
  auto now = Clock::now();
  std::erase_if(queue, [&](const CompletionJob &job) {
    bool isLate = now >= job.deadline;
    if (isLate)
      job.stream->finish(
          {AnswerEnd::Reason::Stop,
           ApiError(504, "The request waited longer than it may.", "",
                    "deadline_exceeded"),
           {}});
    return isLate || job.stream->isCancelled();
  });
}

void Scheduler::admit(CompletionJob job) {
  std::shared_ptr<AnswerStream> stream = job.stream;
  try {
    batch.admit(std::move(job));
  } catch (const std::exception &error) { // no memory
    stream->finish({AnswerEnd::Reason::Stop, ApiError(500, error.what()), {}});
  }
}

void Scheduler::note() {
  known.running = batch.size();
  known.totals = batch.totals();
}

/// Lets in who waits. Returns false where nobody follows; waits where there is
/// nothing to do.
bool Scheduler::next(bool isBlocked) {
  std::unique_lock lock(mutex);
  note();
  if (isBlocked)
    isNew.wait_for(lock, pause);
  else if (batch.isEmpty())
    isNew.wait(lock, [this] { return isStopping || !queue.empty(); });
  dropUnwanted();
  if (isStopping)
    return false;
  while (batch.hasRoom() && !queue.empty()) {
    CompletionJob job = std::move(queue.front());
    queue.pop_front();
    admit(std::move(job));
  }
  note();
  return true;
}

void Scheduler::work() {
  bool isBlocked = false;
  while (next(isBlocked))
    isBlocked = !batch.isEmpty() && !batch.step() && !batch.isEmpty();
  std::lock_guard lock(mutex);
  batch.failAll(stopping());
  for (const CompletionJob &job : queue)
    job.stream->finish({AnswerEnd::Reason::Stop, stopping(), {}});
  queue.clear();
  note();
}

} // namespace transfold::runtime::serve
