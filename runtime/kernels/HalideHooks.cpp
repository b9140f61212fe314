// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions that kernels compiled by Halide without its runtime call: parallel
// loops and scratch memory. A program for a GPU also links Halide's own
// runtime, whose definitions are weak: the functions here are used there as
// well.

#include "runtime/kernels/DeviceFailure.h"
#include "runtime/kernels/FusedLoops.h"
#include "runtime/kernels/KernelError.h"
#include "runtime/kernels/PoolScope.h"
#include "runtime/kernels/Prefetches.h"
#include "runtime/kernels/ThreadPool.h"

#include <fmt/format.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>
#include <string>
#include <utility>

using transfold::runtime::FusedLoops;
using transfold::runtime::PoolScope;
using transfold::runtime::ThreadPool;

namespace {

/// Alignment of scratch memory; the size of a block is stored before it.
constexpr size_t scratchAlignment = 128;

/// Memory between two uses; empty if `start` is null.
struct Block {
  void *start = nullptr; // as returned by the allocator
  size_t capacity = 0;
};

/// Blocks freed on this thread, kept for the next call: kernels request the
/// same sizes again and again.
class ScratchCache {
public:
  ~ScratchCache() {
    for (Block &block : blocks)
      std::free(block.start);
  }

  /// Returns a kept block that is large enough and not much too large (at most
  /// about four times), or a new one; null if there is no memory, which
  /// Halide's code checks for.
  void *allocate(size_t bytes) {
    for (Block &block : blocks)
      if (block.start && block.capacity >= bytes &&
          block.capacity / 4 <= bytes + scratchAlignment)
        return payload(std::exchange(block, {}));
    size_t capacity = (bytes + scratchAlignment - 1) & ~(scratchAlignment - 1);
    if (capacity < bytes || capacity + scratchAlignment < capacity)
      return nullptr;
    void *start =
        std::aligned_alloc(scratchAlignment, capacity + scratchAlignment);
    return start ? payload({start, capacity}) : nullptr;
  }

  /// Keeps a block for later, which is freed when 16 more have been released.
  void release(void *payload) {
    char *start = static_cast<char *>(payload) - scratchAlignment;
    Block block{start, *reinterpret_cast<size_t *>(start)};
    std::swap(blocks[next], block); // replaces the oldest one
    next = (next + 1) % blocks.size();
    std::free(block.start);
  }

private:
  std::array<Block, 16> blocks;
  size_t next = 0;

  /// Writes the size in front of the memory that the kernel gets, and returns
  /// that.
  static void *payload(Block block) {
    *static_cast<size_t *>(block.start) = block.capacity;
    return static_cast<char *>(block.start) + scratchAlignment;
  }
};

/// Each thread has its own blocks, which therefore need no lock. A block that
/// is freed on another thread moves to that thread.
thread_local ScratchCache scratch;
thread_local ThreadPool *poolOfCall = nullptr; // PoolScope.h
thread_local std::string kernelError;

} // namespace

PoolScope::PoolScope(ThreadPool &pool)
    : before(std::exchange(poolOfCall, &pool)) {}
PoolScope::~PoolScope() { poolOfCall = before; }
ThreadPool *PoolScope::current() { return poolOfCall; }

extern "C" {

/// A parallel loop of a kernel: shared with other loops, on the pool of this
/// thread, or inline.
int halide_do_par_for(void *context, int (*task)(void *, int, uint8_t *),
                      int first, int size, uint8_t *closure) {
  if (FusedLoops *joined = FusedLoops::ofThread())
    return joined->share(task, context, first, size, closure);
  if (!poolOfCall)
    return ThreadPool::runInline(task, context, first, size, closure);
  return poolOfCall->parallelFor(task, context, first, size, closure);
}

/// Scratch memory of a kernel; null if there is none.
void *halide_malloc(void *, size_t bytes) { return scratch.allocate(bytes); }

void halide_free(void *, void *payload) {
  if (payload)
    scratch.release(payload);
}

/// 1 if kernels should prefetch; they call it once each (PrefetchSwitch.h).
int transfold_prefetches() {
  static const bool areFaster = transfold::runtime::arePrefetchesFaster();
  return areFaster;
}

void halide_print(void *, const char *text) {
  // The message of a failed check in Halide's runtime, which then calls
  // abort().
  constexpr const char *last = "halide_abort_if_false() failed";
  if (std::strstr(text, last))
    transfold::runtime::leaveOnDeviceFailure(text);
  std::fputs(text, stderr);
}

void halide_error(void *, const char *text) {
  // The caller then returns an error code; this is its message.
  kernelError = text;
}

} // extern "C"

bool transfold::runtime::hasKernelError() { return !kernelError.empty(); }

std::string transfold::runtime::lastKernelError(int code) {
  std::string text = std::exchange(kernelError, "");
  while (text.ends_with('\n'))
    text.pop_back();
  return text.empty() ? fmt::format("code {}", code) : text;
}
