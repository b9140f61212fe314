// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a request's thread hands to one that computes, and waits for. Nothing is
// looked at from time to time: with many clients their threads would take the
// processors from the model to find that there is nothing yet.

#ifndef TRANSFOLD_RUNTIME_SERVE_WAITINGJOB_H
#define TRANSFOLD_RUNTIME_SERVE_WAITINGJOB_H

#include "runtime/serve/AnswerStream.h"

#include <condition_variable>
#include <functional>
#include <mutex>
#include <optional>

namespace transfold::runtime::serve {

class WaitingJob {
public:
  WaitingJob(const WaitingJob &) = delete;
  WaitingJob &operator=(const WaitingJob &) = delete;

  /// Of who asks, at the end: why there is no result.
  const std::optional<ApiError> &error() const { return problem; }

  // Of who computes.
  /// Whether nobody wants the rest: then the request has ended.
  bool isUnwanted();
  void fail(const ApiError &error);

protected:
  /// `isGone` says whether the client is still there; it may be empty.
  WaitingJob(Clock::time_point deadline, std::function<bool()> isGone)
      : deadline(deadline), isGone(std::move(isGone)) {}
  ~WaitingJob() = default;

  /// Waits for the end, which comes: at the latest when the server stops.
  /// Returns what `mutex` is held by.
  std::unique_lock<std::mutex> untilOver();

  /// Of all below, and of what those who compute tell those who wait.
  std::mutex mutex;
  std::condition_variable isNew;
  bool isDone = false;

private:
  Clock::time_point deadline;
  std::function<bool()> isGone;
  std::optional<ApiError> problem;
};

} // namespace transfold::runtime::serve

#endif // TRANSFOLD_RUNTIME_SERVE_WAITINGJOB_H
