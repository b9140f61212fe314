// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A thread pool for requests. It has as many threads as were needed at the same
// time.

#pragma once

#include "base/NonCopyable.h"

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace transfold::runtime::serve {

/// A growing pool of threads with a queue.
class Workers : NonCopyable {
public:
  explicit Workers(size_t most) : most(most) {}
  /// Waits until all added work is done.
  ~Workers();

  /// Adds work; returns false if `mostWaiting` items already wait.
  bool add(std::function<void()> work, size_t mostWaiting);

private:
  const size_t most;
  std::mutex mutex;
  std::condition_variable isNew;
  std::deque<std::function<void()>> waiting;
  /// Number of threads that wait for work.
  size_t idle = 0;
  bool isStopping = false;
  std::vector<std::thread> threads;

  /// The function of each thread.
  void run();
};

} // namespace transfold::runtime::serve
