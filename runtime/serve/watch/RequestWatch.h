// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checks, while an answer is prepared, whether the client still waits: parsing,
// rendering and tokenizing call look() regularly.

#pragma once

#include "runtime/serve/api/AnswerStream.h"

#include <atomic>
#include <functional>

namespace transfold::runtime::serve {

/// For one request, and its thread.
class RequestWatch {
public:
  /// `isDisconnected` returns whether the client has closed the connection;
  /// `isEnding` is set when the server aborts open requests.
  RequestWatch(Clock::time_point deadline, std::function<bool()> isDisconnected,
               const std::atomic<bool> &isEnding)
      : deadline(deadline), isDisconnected(std::move(isDisconnected)),
        isEnding(isEnding) {}
  RequestWatch(const RequestWatch &) = delete; // its look() has a pointer to it
  RequestWatch &operator=(const RequestWatch &) = delete;

  /// Throws ApiError if the client has disconnected, the deadline has passed or
  /// the server is ending. Cheap enough to be called often: it checks every few
  /// milliseconds only.
  void look();
  /// look() as a callback; the object must outlive it.
  std::function<void()> looks() {
    return [this] { look(); };
  }

  const Clock::time_point deadline;

private:
  const std::function<bool()> isDisconnected;
  const std::atomic<bool> &isEnding;
  Clock::time_point next; // time of the next check
};

} // namespace transfold::runtime::serve
