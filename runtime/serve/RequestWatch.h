// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Whether somebody still waits for an answer, asked while it is prepared: what
// reads, renders and tokenises calls look() now and then.

#ifndef TRANSFOLD_RUNTIME_SERVE_REQUESTWATCH_H
#define TRANSFOLD_RUNTIME_SERVE_REQUESTWATCH_H

#include "runtime/serve/AnswerStream.h"

#include <atomic>
#include <functional>

namespace transfold::runtime::serve {

/// Of one request, and of its thread.
class RequestWatch {
public:
  /// `isGone` says whether the client is still there, `isEnding` whether the
  /// server ends what is open.
  RequestWatch(Clock::time_point deadline, std::function<bool()> isGone,
               const std::atomic<bool> &isEnding)
      : deadline(deadline), isGone(std::move(isGone)), isEnding(isEnding) {}
  RequestWatch(const RequestWatch &) = delete; // its look() knows its place
  RequestWatch &operator=(const RequestWatch &) = delete;

  /// Throws ApiError where nobody waits, or nobody is to. It may be called
  /// often: it seldom asks.
  void look();
  std::function<void()> looks() {
    return [this] { look(); };
  }

  const Clock::time_point deadline;

private:
  const std::function<bool()> isGone;
  const std::atomic<bool> &isEnding;
  Clock::time_point next; // when to ask again
};

} // namespace transfold::runtime::serve

#endif // TRANSFOLD_RUNTIME_SERVE_REQUESTWATCH_H
