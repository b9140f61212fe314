// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Divides the tasks of joined loops among threads. All threads call the same
// kernels in the same order; therefore counting a thread's loops suffices to
// know which loop it is in, and threads may be in different loops at the same
// time.

#include "runtime/kernels/FusedLoops.h"

#include "runtime/kernels/PoolScope.h"

#include <algorithm>
#include <utility>

namespace transfold::runtime::inline kernels {

namespace {

/// The state of a thread in its joined loops.
struct Position {
  FusedLoops *loops = nullptr;
  unsigned next = 0; // number of the next loop
  /// Ranges [first, end) of the tasks that it took of the preceding loop. Kept
  /// from call to call, so that no memory is allocated.
  std::vector<std::pair<int, int>> taken;
};
thread_local Position position;

} // namespace

FusedLoops *FusedLoops::ofThread() { return position.loops; }

FusedLoops::Scope::Scope(FusedLoops &loops) {
  position.loops = &loops;
  position.next = 0;
  position.taken.clear();
}
FusedLoops::Scope::~Scope() { position.loops = nullptr; }

/// Takes a fraction of the remaining tasks: adjacent tasks read adjacent
/// weights, as one memory stream, and the ranges get smaller towards the end.
bool FusedLoops::take(unsigned number, int size, int &begin, int &end) {
  std::atomic<int> &counter = taken[number];
  begin = counter.load(std::memory_order_relaxed);
  do {
    if (begin >= size)
      return false;
    end = begin + std::max((size - begin) / threads, 1);
  } while (
      !counter.compare_exchange_weak(begin, end, std::memory_order_relaxed));
  return true;
}

int FusedLoops::share(ThreadPool::Task task, void *context, int first, int size,
                      uint8_t *closure) {
  const unsigned number = position.next++;
  // Loops inside a task run on the task's thread only.
  FusedLoops *const loops = std::exchange(position.loops, nullptr);
  int failure = 0;
  auto run = [&](int begin, int end) {
    for (int i = begin; i < end; ++i)
      if (int code = task(context, first + i, closure))
        failure = code;
  };
  if (sameTasks >> number & 1) {
    for (auto [begin, end] : position.taken)
      run(begin, end);
  } else {
    position.taken.clear();
    int begin = 0, end = 0;
    while (take(number, size, begin, end)) {
      position.taken.emplace_back(begin, end);
      run(begin, end);
    }
  }
  position.loops = loops;
  return failure;
}

namespace {
/// The arguments of runTogether() for all threads.
struct Calls {
  int32_t (*calls)(void **values);
  void **values;
  FusedLoops loops;
};
} // namespace

int32_t runTogether(int32_t (*calls)(void **values), void **values,
                    uint64_t sameTasks) {
  ThreadPool *pool = PoolScope::current();
  // One thread would take all tasks in order anyway.
  if (!pool || pool->threads() == 1)
    return calls(values);
  Calls own{calls, values, {pool->threads(), sameTasks}};
  auto task = [](void *, int, uint8_t *closure) -> int {
    Calls &all = *reinterpret_cast<Calls *>(closure);
    FusedLoops::Scope scope(all.loops);
    return all.calls(all.values);
  };
  // One task for each thread. A thread that is late gets fewer tasks of the
  // loops, or none; a thread that takes two of these tasks finds the loops
  // empty the second time.
  return pool->parallelFor(task, nullptr, 0, static_cast<int>(pool->threads()),
                           reinterpret_cast<uint8_t *>(&own));
}

} // namespace transfold::runtime::inline kernels
