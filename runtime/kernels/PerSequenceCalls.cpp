// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs whole sequences as the tasks of one parallel loop. Loops of the kernels
// that a task calls then run inline on its thread (ThreadPool::parallelFor).

#include "runtime/kernels/PerSequenceCalls.h"

#include "runtime/kernels/PoolScope.h"

namespace transfold::runtime::inline kernels {

namespace {
/// The arguments of runEach() for all threads.
struct SequenceCalls {
  int32_t (*call)(void **values);
  void **values;
  int64_t stride;
};

/// The task of the loop: the call for sequence `index`.
int callSequence(void *, int index, uint8_t *closure) {
  const SequenceCalls &calls = *reinterpret_cast<SequenceCalls *>(closure);
  return calls.call(calls.values + index * calls.stride);
}
} // namespace

int32_t runEach(int32_t (*call)(void **values), void **values, int64_t stride,
                int64_t count) {
  SequenceCalls calls{call, values, stride};
  auto *closure = reinterpret_cast<uint8_t *>(&calls);
  const int size = static_cast<int>(count);
  ThreadPool *pool = PoolScope::current();
  return pool ? pool->parallelFor(callSequence, nullptr, 0, size, closure)
              : ThreadPool::runInline(callSequence, nullptr, 0, size, closure);
}

} // namespace transfold::runtime::inline kernels
