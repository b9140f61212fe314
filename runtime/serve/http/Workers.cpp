// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Threads are created when work waits and none is idle, and then kept.

#include "runtime/serve/http/Workers.h"

#include <system_error>
#include <utility>

namespace transfold::runtime::serve {

Workers::~Workers() {
  {
    std::lock_guard lock(mutex);
    isStopping = true;
    isNew.notify_all();
  }
  for (std::thread &thread : threads)
    thread.join();
}

bool Workers::add(std::function<void()> work, size_t mostWaiting) {
  std::lock_guard lock(mutex);
  if (waiting.size() >= mostWaiting + idle)
    return false;
  waiting.push_back(std::move(work));
  if (waiting.size() > idle && threads.size() < most)
    try {
      threads.emplace_back([this] { run(); });
    } catch (const std::system_error &) {
      if (threads.empty()) { // no thread would ever run it
        waiting.pop_back();
        return false;
      }
    }
  isNew.notify_one();
  return true;
}

void Workers::run() {
  std::unique_lock lock(mutex);
  while (true) {
    ++idle;
    isNew.wait(lock, [this] { return isStopping || !waiting.empty(); });
    --idle;
    if (waiting.empty())
      return;
    std::function<void()> work = std::move(waiting.front());
    waiting.pop_front();
    lock.unlock();
    work();
    work = nullptr; // destroys what it holds
    lock.lock();
  }
}

} // namespace transfold::runtime::serve
