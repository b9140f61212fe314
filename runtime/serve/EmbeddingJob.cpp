// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/serve/EmbeddingJob.h"

#include "runtime/serve/RequestLog.h"

#include <utility>

namespace transfold::runtime::serve {

void EmbeddingJob::wait() {
  std::vector<Pointer> woken;
  {
    std::unique_lock lock(mutex);
    isNew.wait(lock, [this] { return isDone || problem; });
    woken = std::exchange(others, {});
  }
  finish(std::move(woken));
}

void EmbeddingJob::finish(std::vector<Pointer> jobs) {
  if (jobs.empty())
    return;
  Pointer job = std::move(jobs.back());
  jobs.pop_back();
  {
    std::lock_guard lock(job->mutex);
    job->isDone = true;
    job->others = std::move(jobs);
  }
  // Not under the lock, which who is woken would wait for at once.
  job->isNew.notify_one();
}

bool EmbeddingJob::isUnwanted() {
  // Under the lock, since the request of `isGone` lives until wait() returns.
  std::lock_guard lock(mutex);
  if (problem)
    return true;
  if (Clock::now() >= deadline)
    problem = deadlineHasPassed("The request took longer than it may.");
  else if (isGone && isGone())
    problem = ApiError(RequestLog::clientGone, "The client has gone.");
  if (problem)
    isNew.notify_one();
  return problem.has_value();
}

bool EmbeddingJob::put(size_t text, std::span<const float> vector) {
  vectors[text].assign(vector.begin(), vector.end());
  return --open == 0;
}

void EmbeddingJob::fail(const ApiError &error) {
  std::lock_guard lock(mutex);
  if (!problem)
    problem = error;
  isNew.notify_one();
}

} // namespace transfold::runtime::serve
