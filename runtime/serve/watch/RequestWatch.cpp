// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads the clock on each call, and the socket only every few milliseconds.

#include "runtime/serve/watch/RequestWatch.h"

#include "runtime/serve/watch/RequestLog.h"

namespace transfold::runtime::serve {

void RequestWatch::look() {
  constexpr std::chrono::milliseconds pause{5};
  const auto now = Clock::now();
  if (now < next)
    return;
  next = now + pause;
  if (isEnding)
    throw serverIsStopping();
  if (now >= deadline)
    throw deadlineHasPassed("The request exceeded its time limit.");
  if (isDisconnected && isDisconnected())
    throw ApiError(RequestLog::clientGone, "The client has disconnected.");
}

} // namespace transfold::runtime::serve
