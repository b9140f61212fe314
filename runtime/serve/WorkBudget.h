// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How much is prepared at the same time. A request that is read, rendered and
// tokenised holds up to some hundred times the bytes of its body; so many bytes
// of bodies at a time hold that within a limit, whoever asks.

#ifndef TRANSFOLD_RUNTIME_SERVE_WORKBUDGET_H
#define TRANSFOLD_RUNTIME_SERVE_WORKBUDGET_H

#include "runtime/serve/RequestWatch.h"

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <mutex>

namespace transfold::runtime::serve {

class WorkBudget {
public:
  explicit WorkBudget(size_t bytes) : free(bytes), most(bytes) {}
  WorkBudget(const WorkBudget &) = delete;
  WorkBudget &operator=(const WorkBudget &) = delete;

  /// A part of the budget, as long as it lives; who wants more than all gets
  /// all. Requests come in the order in which they ask, so that a large one has
  /// its turn, too. Throws what `watch` throws while it waits.
  class Share {
  public:
    Share(WorkBudget &budget, size_t bytes, RequestWatch &watch);
    ~Share() { giveBack(); }
    Share(const Share &) = delete;
    Share &operator=(const Share &) = delete;
    /// Sooner than at its end. The memory behind it goes back to the system.
    void giveBack();

  private:
    WorkBudget &budget;
    size_t bytes;
  };

  /// How many wait.
  size_t waitingNow() const {
    std::lock_guard lock(mutex);
    return waiting.size();
  }

private:
  mutable std::mutex mutex;
  std::condition_variable isNew;
  size_t free;
  const size_t most;
  /// Those who ask have numbers; the first one is next.
  std::deque<uint64_t> waiting;
  uint64_t asked = 0;
};

} // namespace transfold::runtime::serve

#endif // TRANSFOLD_RUNTIME_SERVE_WORKBUDGET_H
