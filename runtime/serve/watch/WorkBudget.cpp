// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tickets in the order of arrival: the first one waits until enough is free,
// and all others wait for their turn.

#include "runtime/serve/watch/WorkBudget.h"

#include <algorithm>
#include <malloc.h>
#include <utility>

namespace transfold::runtime::serve {

namespace {

/// Memory of smaller requests is returned by the C library soon enough, or may
/// be kept for later ones.
constexpr size_t large = 1 << 20;
/// Interval at which waiting requests check whether their client still waits.
constexpr std::chrono::milliseconds pause{50};

} // namespace

WorkBudget::Share::Share(WorkBudget &budget, size_t wanted, RequestWatch &watch)
    : budget(budget), bytes(std::min(wanted, budget.most)) {
  std::unique_lock lock(budget.mutex);
  const uint64_t own = budget.asked++;
  budget.waiting.push_back(own);
  auto isNext = [&] {
    return budget.waiting.front() == own && budget.free >= bytes;
  };
  auto leave = [&] {
    std::erase(budget.waiting, own);
    budget.isNew.notify_all();
  };
  try {
    while (!budget.isNew.wait_for(lock, pause, isNext))
      watch.look();
  } catch (...) {
    leave();
    throw;
  }
  budget.free -= bytes;
  leave();
}

void WorkBudget::Share::giveBack() {
  const size_t mine = std::exchange(bytes, 0);
  if (!mine)
    return;
#ifdef __GLIBC__
  if (mine >= large)
    ::malloc_trim(0);
#endif
  std::lock_guard lock(budget.mutex);
  budget.free += mine;
  budget.isNew.notify_all();
}

} // namespace transfold::runtime::serve
