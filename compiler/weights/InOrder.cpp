// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A bounded queue that keeps the order: workers make pieces ahead of the thread
// that takes them, but at most as many as the ring has slots.

#include "compiler/weights/InOrder.h"

#include <algorithm>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <thread>

using namespace transfold;

namespace {

/// A ring of pieces: piece k uses slot k modulo the number of slots, after
/// piece k - slots was taken.
class Ring {
public:
  Ring(size_t count, size_t slots) : count(count), slots(slots) {}

  /// The loop of a worker thread; returns when no pieces are left.
  void work(const std::function<void(size_t, weights::Piece &)> &make) {
    std::unique_lock lock(mutex);
    while (true) {
      changed.wait(lock, [&] {
        return begun == count || failure || begun < taken + slots.size();
      });
      if (begun == count || failure)
        return;
      size_t number = begun++;
      Slot &slot = slots[number % slots.size()];
      runUnlocked(lock, [&] { make(number, slot.piece); });
      slot.isReady = true;
      changed.notify_all();
    }
  }

  void
  takeAll(const std::function<void(size_t, const weights::Piece &)> &take) {
    for (size_t number = 0; number < count; ++number) {
      Slot &slot = slots[number % slots.size()];
      std::unique_lock lock(mutex);
      changed.wait(lock, [&] { return slot.isReady || failure; });
      if (failure)
        return;
      runUnlocked(lock, [&] { take(number, slot.piece); });
      slot.isReady = false;
      ++taken;
      changed.notify_all();
    }
  }

  std::exception_ptr failure;

private:
  /// The memory of a piece; `isReady` from the end of `make` to the end of
  /// `take`.
  struct Slot {
    weights::Piece piece;
    bool isReady = false;
  };
  const size_t count;
  std::vector<Slot> slots;
  size_t begun = 0, taken = 0;
  std::mutex mutex;
  std::condition_variable changed;

  /// Runs `step` without the lock. The first exception becomes the failure.
  template <typename Step>
  void runUnlocked(std::unique_lock<std::mutex> &lock, const Step &step) {
    lock.unlock();
    std::exception_ptr thrown;
    try {
      step();
    } catch (...) {
      thrown = std::current_exception();
    }
    lock.lock();
    if (thrown && !failure)
      failure = thrown;
  }
};

} // namespace

void weights::inOrder(size_t count, unsigned threads,
                      const std::function<void(size_t, Piece &)> &make,
                      const std::function<void(size_t, const Piece &)> &take) {
  threads = std::max(threads, 1U);
  Ring ring(count, size_t{2} * threads);
  {
    std::vector<std::jthread> workers;
    // With fewer threads than wanted it only takes longer. Without any, there
    // is nothing to wait for.
    for (unsigned k = 0; k < threads; ++k)
      try {
        workers.emplace_back([&] { ring.work(make); });
      } catch (const std::system_error &) {
        if (workers.empty())
          throw;
        break;
      }
    ring.takeAll(take);
  }
  if (ring.failure)
    std::rethrow_exception(ring.failure);
}
