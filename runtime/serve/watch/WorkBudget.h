// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Limits how much is prepared at the same time. A request that is parsed,
// rendered and tokenized occupies up to some hundred times the bytes of its
// body; a limit on the total size of these bodies bounds that memory, whatever
// clients send.

#pragma once

#include "base/NonCopyable.h"
#include "runtime/serve/watch/RequestWatch.h"

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <mutex>

namespace transfold::runtime::serve {

/// A budget of bytes; thread-safe.
class WorkBudget : NonCopyable {
public:
  explicit WorkBudget(size_t bytes) : free(bytes), most(bytes) {}

  /// A share of the budget, returned at the end of its lifetime; a request
  /// larger than the whole budget gets all of it. Requests are served in the
  /// order of their arrival, so that a large one also gets its turn. Throws
  /// what `watch` throws while waiting.
  class Share : NonCopyable {
  public:
    Share(WorkBudget &budget, size_t bytes, RequestWatch &watch);
    ~Share() { giveBack(); }
    /// Returns the share early, and returns freed memory to the system.
    void giveBack();

  private:
    WorkBudget &budget;
    size_t bytes;
  };

  /// Number of requests that wait.
  size_t waitingNow() const {
    std::lock_guard lock(mutex);
    return waiting.size();
  }

private:
  mutable std::mutex mutex;
  std::condition_variable isNew;
  size_t free;
  const size_t most;
  /// Tickets of the waiting requests; the first one is next.
  std::deque<uint64_t> waiting;
  uint64_t asked = 0;
};

} // namespace transfold::runtime::serve
