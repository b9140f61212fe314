// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// -xf-place-cache-writes: decides how rows get into caches on a device, and
// states everywhere.
//
// Before:
//   %k = xf.launch @rotate(…)              K[first + r] = rotate(…)[r]
//   xf.cache_write %k in @decode.0[%l] from %first
//   xf.cache_write %v in @decode.1[%l] from %first
// After:
//   %k = xf.launch @rotate(…)
//   xf.cache_write %k in @decode.0[%l] from %first {by_launch}
//   xf.cache_write %v in @decode.1[%l] from %first {ends_copies}
//
// `by_launch`: the rows of one sequence are contiguous in its cache, with the
// same stride as in a buffer; a launch that gets the address of the cache's
// next row for its result has thereby stored it. Exact: the values are the
// same, and these places of the cache are not read before they are written.
// Readers of the launch's result read it from the cache, where it is not
// overwritten before the entry ends. With several sequences the rows are
// copied.
//
// The states of a recurrence, which one launch for each sequence computes, are
// written over those before if only this launch reads them: a task of the
// kernel has read its part of a state when it writes it.
//
// `ends_copies`: the copies of consecutive writes under the same condition
// start together, at the last of them.

#include "compiler/host/Passes.h"
#include "compiler/host/plan/MemorySpace.h"

namespace transfold::host {
#define GEN_PASS_DEF_PLACECACHEWRITES
#include "compiler/host/Passes.h.inc"
} // namespace transfold::host

using namespace mlir;
using namespace transfold;

/// Collects the cache writes of `value` and of views of it. False if any other
/// user needs the value in its arena buffer (e.g. a loop).
static bool collectWrites(Value value,
                          SmallVectorImpl<xf::CacheWriteOp> &writes) {
  for (Operation *user : value.getUsers()) {
    if (auto view = dyn_cast<xf::RearrangeOp>(user)) {
      if (!collectWrites(view.getResult(), writes))
        return false;
    } else if (auto write = dyn_cast<xf::CacheWriteOp>(user)) {
      writes.push_back(write);
    } else if (!isa<xf::LaunchOp>(user)) {
      return false;
    }
  }
  return true;
}

/// The only cache write of the rows that a launch computes, if the launch may
/// write them directly into the cache; null otherwise.
static xf::CacheWriteOp writeOf(xf::LaunchOp launch) {
  // A value without rows of a sequence may exist once for all sequences.
  auto shape = xf::getShape(launch.getResult().getType());
  if (llvm::all_of(shape, xf::getNumber))
    return {};
  SmallVector<xf::CacheWriteOp> writes;
  if (!collectWrites(launch.getResult(), writes) || writes.size() != 1 ||
      writes[0]->getBlock() != launch->getBlock())
    return {};
  return writes[0];
}

/// The cache write of a state that a launch computes, if the launch may write
/// it over the state before, which no other operation reads; null otherwise.
static xf::CacheWriteOp writeOfState(xf::LaunchOp launch, Value state) {
  if (!state.hasOneUse())
    return {};
  auto write = dyn_cast<xf::CacheWriteOp>(*state.user_begin());
  if (!write || write->getBlock() != launch->getBlock())
    return {};
  bool isReadByOthers = false;
  write->getParentOfType<xf::EntryOp>().walk([&](xf::CacheReadOp read) {
    if (read.getCacheAttr() != write.getCacheAttr())
      return;
    isReadByOthers |= read.getIndices() != write.getIndices();
    for (Operation *user : read->getUsers())
      isReadByOthers |= user != launch;
  });
  return isReadByOthers ? xf::CacheWriteOp() : write;
}

/// Whether no other write follows that copies under the same condition.
static bool endsCopies(xf::CacheWriteOp write) {
  Operation *next = write->getNextNode();
  while (isa<xf::CacheReadOp, xf::RearrangeOp, xf::WeightOp>(next))
    next = next->getNextNode();
  auto other = dyn_cast<xf::CacheWriteOp>(next);
  return !other || (other.getByLaunch() && !write.getByLaunch());
}

namespace {
struct PlaceCacheWrites
    : host::PassInSpace<host::impl::PlaceCacheWritesBase<PlaceCacheWrites>> {
  using PassInSpace::PassInSpace;

  void runIn(StringRef space, xf::EntryOp entry) override {
    entry.walk([&](xf::LaunchOp launch) {
      for (Value state : launch.getStates())
        if (xf::CacheWriteOp write = writeOfState(launch, state)) {
          write.setByLaunch(true);
          ++byLaunch;
        }
    });
    if (host::isHost(space))
      return;
    entry.walk([&](xf::LaunchOp launch) {
      if (xf::CacheWriteOp write = writeOf(launch)) {
        write.setByLaunch(true);
        ++byLaunch;
      }
    });
    entry.walk([&](xf::CacheWriteOp write) {
      write.setEndsCopies(endsCopies(write));
    });
  }
};
} // namespace
