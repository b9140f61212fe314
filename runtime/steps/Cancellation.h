// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Whoever asks for tokens can stop while they are being made.

#ifndef TRANSFOLD_RUNTIME_STEPS_CANCELLATION_H
#define TRANSFOLD_RUNTIME_STEPS_CANCELLATION_H

#include <functional>
#include <stdexcept>

namespace transfold::runtime {

/// Thrown where a request was cancelled. Not an Error: nothing may put it down
/// to the text or the row that was being worked on and go on with the next.
class Cancelled : public std::runtime_error {
public:
  using std::runtime_error::runtime_error;
};

/// Of one request: asked before each step, on the thread that runs it. Empty:
/// nobody cancels.
using IsCancelled = std::function<bool()>;

/// Throws Cancelled.
inline void throwIfCancelled(const IsCancelled &isCancelled) {
  if (isCancelled && isCancelled())
    throw Cancelled("cancelled");
}

} // namespace transfold::runtime

#endif // TRANSFOLD_RUNTIME_STEPS_CANCELLATION_H
