// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/kernels/PerSequenceCalls.h"

#include "runtime/kernels/PoolScope.h"

namespace transfold::runtime {

namespace {
struct Calls {
  int32_t (*call)(void **values);
  void **values;
  int64_t stride;
};

int callOne(void *, int index, uint8_t *closure) {
  const Calls &calls = *reinterpret_cast<Calls *>(closure);
  return calls.call(calls.values + index * calls.stride);
}
} // namespace

int32_t runEach(int32_t (*call)(void **values), void **values, int64_t stride,
                int64_t count) {
  Calls calls{call, values, stride};
  auto *closure = reinterpret_cast<uint8_t *>(&calls);
  const int size = static_cast<int>(count);
  ThreadPool *pool = PoolScope::current();
  return pool ? pool->parallelFor(callOne, nullptr, 0, size, closure)
              : ThreadPool::runInline(callOne, nullptr, 0, size, closure);
}

} // namespace transfold::runtime
