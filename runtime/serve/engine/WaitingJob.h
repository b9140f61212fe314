// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A job that a request's thread hands to a computing thread and waits for. The
// waiting threads do not poll: with many clients they would take processor time
// from the model.

#pragma once

#include "base/NonCopyable.h"
#include "runtime/serve/api/AnswerStream.h"

#include <condition_variable>
#include <functional>
#include <mutex>
#include <optional>

namespace transfold::runtime::serve {

/// Base class of the jobs.
class WaitingJob : NonCopyable {
public:
  /// For the requesting thread, after completion: the error, if any.
  const std::optional<ApiError> &error() const { return problem; }

  // For the computing thread.
  /// Whether the client no longer waits; if so, the job fails with the reason.
  bool isCancelledOrExpired();
  void fail(const ApiError &error);

protected:
  /// `isDisconnected` returns whether the client has closed the connection; it
  /// may be empty.
  WaitingJob(Clock::time_point deadline, std::function<bool()> isDisconnected)
      : deadline(deadline), isDisconnected(std::move(isDisconnected)) {}
  ~WaitingJob() = default;

  /// Waits until the job is done or has failed, at the latest when the server
  /// stops. Returns the lock of `mutex`.
  std::unique_lock<std::mutex> untilOver();

  /// Guards all members below, and what the computing thread writes for the
  /// waiting one.
  std::mutex mutex;
  std::condition_variable isNew;
  bool isDone = false;

private:
  Clock::time_point deadline;
  std::function<bool()> isDisconnected;
  std::optional<ApiError> problem;
};

} // namespace transfold::runtime::serve
