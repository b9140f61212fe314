// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Cancellation of requests while tokens are generated.

#pragma once

#include <functional>
#include <stdexcept>

namespace transfold::runtime::inline steps {

/// Thrown when a request is cancelled. Not an Error, so that no handler
/// attributes it to the current text or row and continues with the next one.
class Cancelled : public std::runtime_error {
public:
  using std::runtime_error::runtime_error;
};

/// Cancellation check of one request: called before each step, on the thread
/// that runs it. Empty: never cancelled.
using IsCancelled = std::function<bool()>;

/// Throws Cancelled if the request is cancelled.
inline void throwIfCancelled(const IsCancelled &isCancelled) {
  if (isCancelled && isCancelled())
    throw Cancelled("cancelled");
}

} // namespace transfold::runtime::inline steps
