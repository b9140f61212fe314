// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Wakes requesting threads in a chain (finish()), and stores vectors.

#include "runtime/serve/engine/TextJob.h"

#include <utility>

namespace transfold::runtime::serve {

void TextJob::wait() {
  std::vector<Pointer> woken;
  {
    auto lock = untilOver();
    woken = std::exchange(others, {});
  }
  finish(std::move(woken));
}

void TextJob::finish(std::vector<Pointer> jobs) {
  if (jobs.empty())
    return;
  Pointer job = std::move(jobs.back());
  jobs.pop_back();
  {
    std::lock_guard lock(job->mutex);
    job->isDone = true;
    job->others = std::move(jobs);
  }
  // Not under the lock, for which the woken thread would have to wait at once.
  job->isNew.notify_one();
}

bool TextJob::put(size_t text, std::span<const float> vector) {
  vectors[text].assign(vector.begin(), vector.end());
  return --open == 0;
}

} // namespace transfold::runtime::serve
