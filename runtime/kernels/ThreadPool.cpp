// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Threads take ranges of tasks from a shared word. The loop's description is
// published by a store to that word, and its end is the counter of finished
// tasks: a loop needs no system call while the workers are awake.

#include "runtime/kernels/ThreadPool.h"

#include <algorithm>
#include <chrono>
#include <utility>

#if defined(__x86_64__) || defined(__i386__)
#include <immintrin.h>
#endif

namespace transfold::runtime::inline kernels {

namespace {

/// Number of polls before a worker sleeps, some 50 to 100 µs: longer than the
/// serial parts between two kernels, much shorter than a pause between two
/// requests.
constexpr int pollsBeforeSleep = 2000;
/// Number of polls before the caller yields its core to a worker that may need
/// it.
constexpr int pollsBeforeYield = 2000;

/// A thread takes this fraction (one of `turnsOfThread`) of its share of the
/// remaining tasks at a time. Adjacent tasks read adjacent weights, which are
/// one memory stream if several tasks are taken together; and taking tasks
/// costs some 0.2 µs under contention, as long as the smallest tasks. Towards
/// the end, tasks are taken one by one, so that no thread waits for another's
/// long range.
constexpr unsigned turnsOfThread = 4;
/// If tasks are shorter than this, a thread takes its whole share of the
/// remaining tasks at once: waiting for such a range is short, too, and each
/// new stream of weights has to wait for memory.
constexpr auto shortTask = std::chrono::microseconds(4);

/// The two halves of ThreadPool::ticket.
constexpr uint64_t tasksLeft(uint64_t ticket) { return ticket & 0xffffffffu; }
constexpr uint64_t loopNumber(uint64_t ticket) { return ticket >> 32; }

/// Whether this thread is inside a task; its loops then run inline.
thread_local bool insideTask = false;

/// Tells the processor that this thread polls: it saves power, and leaves more
/// of the core to another thread on it.
void relax() {
#if defined(__x86_64__) || defined(__i386__)
  _mm_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

} // namespace

int ThreadPool::runInline(Task task, void *context, int first, int size,
                          uint8_t *closure) {
  for (int i = 0; i < size; ++i)
    if (int code = task(context, first + i, closure))
      return code;
  return 0;
}

void ThreadPool::setThreads(unsigned count) {
  count = std::max(count, 1u);
  std::lock_guard<std::mutex> lock(oneLoopAtATime);
  if (count == threads())
    return;
  stopping = true;
  wakeSleepers();
  for (std::thread &worker : workers)
    worker.join();
  workers.clear();
  stopping = false;
  // Read before the workers start: no loop can begin meanwhile, since the lock
  // is held.
  uint64_t seen = loopNumber(ticket);
  for (unsigned i = 1; i < count; ++i)
    workers.emplace_back([this, seen] { work(seen); });
}

int ThreadPool::parallelFor(Task task, void *context, int first, int size,
                            uint8_t *closure) {
  if (size < 2 || insideTask)
    return runInline(task, context, first, size, closure);
  std::unique_lock<std::mutex> lock(oneLoopAtATime, std::try_to_lock);
  if (!lock || workers.empty()) {
    // Releases the lock first: a task may run a loop of its own, which tries to
    // take it.
    if (lock)
      lock.unlock();
    return runInline(task, context, first, size, closure);
  }

  loop.task.store(task, std::memory_order_relaxed);
  loop.context.store(context, std::memory_order_relaxed);
  loop.closure.store(closure, std::memory_order_relaxed);
  loop.first.store(first, std::memory_order_relaxed);
  loop.size.store(size, std::memory_order_relaxed);
  done.store(0, std::memory_order_relaxed);
  failure.store(0, std::memory_order_relaxed);
  uint64_t number = loopNumber(ticket.load(std::memory_order_relaxed)) + 1;
  // Sequentially consistent with `sleepers`: either the worker about to sleep
  // observes this loop, or this thread observes that it sleeps.
  ticket.store(number << 32 | static_cast<uint32_t>(size));
  if (sleepers.load() > 0)
    wakeSleepers();

  runTasks();
  for (int polls = 0; done.load(std::memory_order_acquire) != size; ++polls)
    polls < pollsBeforeYield ? relax() : std::this_thread::yield();
  return failure.load(std::memory_order_relaxed);
}

void ThreadPool::runTasks() {
  insideTask = true;
  uint64_t now = ticket.load(std::memory_order_acquire);
  auto turns = static_cast<int>(turnsOfThread * threads());
  // The first range is timed, to tell short tasks from long ones.
  const auto start = std::chrono::steady_clock::now();
  for (bool isFirst = true; tasksLeft(now) > 0;) {
    const auto left = static_cast<int>(tasksLeft(now));
    const int taken = std::max(left / turns, 1);
    Task task = loop.task.load(std::memory_order_relaxed);
    void *context = loop.context.load(std::memory_order_relaxed);
    uint8_t *closure = loop.closure.load(std::memory_order_relaxed);
    int first = loop.first.load(std::memory_order_relaxed);
    int size = loop.size.load(std::memory_order_relaxed);
    // Read before the exchange: if it succeeds, the loop is still the same and
    // these values are consistent; if not, they are discarded.
    if (!ticket.compare_exchange_weak(now, now - taken,
                                      std::memory_order_acq_rel,
                                      std::memory_order_acquire))
      continue;
    // Tasks are taken in ascending order.
    const int index = first + size - left;
    for (int i = 0; i < taken; ++i)
      if (int code = task(context, index + i, closure))
        failure.store(code, std::memory_order_relaxed);
    if (std::exchange(isFirst, false) &&
        std::chrono::steady_clock::now() - start < taken * shortTask)
      turns = static_cast<int>(threads());
    done.fetch_add(taken, std::memory_order_release);
    now = ticket.load(std::memory_order_acquire);
  }
  insideTask = false;
}

void ThreadPool::work(uint64_t seen) {
  for (;;) {
    seen = waitForLoop(seen);
    if (stopping.load(std::memory_order_acquire))
      return;
    runTasks();
  }
}

uint64_t ThreadPool::waitForLoop(uint64_t seen) {
  auto news = [&] { return loopNumber(ticket) != seen || stopping; };
  for (int polls = 0; polls < pollsBeforeSleep; ++polls) {
    if (loopNumber(ticket.load(std::memory_order_acquire)) != seen ||
        stopping.load(std::memory_order_relaxed))
      return loopNumber(ticket);
    relax();
  }
  std::unique_lock<std::mutex> lock(sleepMutex);
  ++sleepers;
  wake.wait(lock, news);
  --sleepers;
  return loopNumber(ticket);
}

void ThreadPool::wakeSleepers() {
  {
    // A worker that has counted itself as a sleeper, and has not begun to wait
    // yet, holds this lock: it cannot miss the notification.
    std::lock_guard<std::mutex> lock(sleepMutex);
  }
  wake.notify_all();
}

} // namespace transfold::runtime::inline kernels
