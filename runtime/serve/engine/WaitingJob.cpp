// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The first outcome of a job counts: an error, or that it is done.

#include "runtime/serve/engine/WaitingJob.h"

#include "runtime/serve/watch/RequestLog.h"

namespace transfold::runtime::serve {

std::unique_lock<std::mutex> WaitingJob::untilOver() {
  std::unique_lock lock(mutex);
  isNew.wait(lock, [this] { return isDone || problem; });
  return lock;
}

bool WaitingJob::isCancelledOrExpired() {
  // Under the lock, since `isDisconnected` belongs to the request, which lives
  // until its thread has stopped waiting.
  std::lock_guard lock(mutex);
  if (problem)
    return true;
  if (Clock::now() >= deadline)
    problem = deadlineHasPassed("The request exceeded its time limit.");
  else if (isDisconnected && isDisconnected())
    problem = ApiError(RequestLog::clientGone, "The client has disconnected.");
  if (problem)
    isNew.notify_one();
  return problem.has_value();
}

void WaitingJob::fail(const ApiError &error) {
  std::lock_guard lock(mutex);
  if (!problem)
    problem = error;
  isNew.notify_one();
}

} // namespace transfold::runtime::serve
