// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// -xf-gather-cache-writes: on a device, groups the cache writes of a step.
//
// Before:
//   %k = xf.launch @rotate(…)
//   xf.cache_write %k in @decode.0[%l] from %first
//   %K = xf.cache_read @decode.0[%l]
//   %v = xf.launch @contract(…)
//   xf.cache_write %v in @decode.1[%l] from %first
//   %V = xf.cache_read @decode.1[%l]
//   %y = xf.launch @attention(%q, %K, %V)
// After:
//   %k = xf.launch @rotate(…)
//   %v = xf.launch @contract(…)
//   xf.cache_write %v in @decode.1[%l] from %first
//   %V = xf.cache_read @decode.1[%l]
//   xf.cache_write %k in @decode.0[%l] from %first
//   %K = xf.cache_read @decode.0[%l]
//   %y = xf.launch @attention(%q, %K, %V)
//
// Consecutive copies are one launch on a device (transfold_device). Exact: a
// keep moves down at most to the first operation that recalls from or keeps in
// the same cache, and a recall to its first reader, so that each cache is
// written and read in the original order.

#include "compiler/host/Passes.h"
#include "compiler/host/plan/MemorySpace.h"

namespace transfold::host {
#define GEN_PASS_DEF_GATHERCACHEWRITES
#include "compiler/host/Passes.h.inc"
} // namespace transfold::host

using namespace mlir;
using namespace transfold;

/// The cache that an operation accesses; null: none.
static FlatSymbolRefAttr cacheOf(Operation *op) {
  if (auto keep = dyn_cast<xf::CacheWriteOp>(op))
    return keep.getCacheAttr();
  auto recall = dyn_cast<xf::CacheReadOp>(op);
  return recall ? recall.getCacheAttr() : FlatSymbolRefAttr();
}

/// Whether `op`, or an operation in it, must stay after `before`.
static bool needs(Operation *op, Operation *before) {
  FlatSymbolRefAttr cache = cacheOf(before);
  return op
      ->walk([&](Operation *inner) {
        const bool isReader = llvm::is_contained(before->getUsers(), inner);
        return isReader || (cache && cacheOf(inner) == cache)
                   ? WalkResult::interrupt()
                   : WalkResult::advance();
      })
      .wasInterrupted();
}

/// The first operation after `op` that depends on it, or the end of the block.
static Operation *limitOf(Operation *op) {
  Operation *limit = op->getNextNode();
  while (limit->getNextNode() && !needs(limit, op))
    limit = limit->getNextNode();
  return limit;
}

/// Whether `op` is a keep, a recall, or a view of a recall.
static bool isOfCache(Operation *op) {
  if (auto view = dyn_cast<xf::RearrangeOp>(op))
    return host::sourceOf(view).getDefiningOp<xf::CacheReadOp>();
  return isa<xf::CacheWriteOp, xf::CacheReadOp>(op);
}

namespace {
struct GatherCacheWrites
    : host::PassInSpace<host::impl::GatherCacheWritesBase<GatherCacheWrites>> {
  using PassInSpace::PassInSpace;

  void runIn(StringRef space, xf::EntryOp entry) override {
    if (host::isHost(space))
      return;
    entry.walk([&](Block *block) {
      if (!isa<xf::EntryOp, xf::LayersOp>(block->getParentOp()))
        return;
      // From the last one, so that the operations which limit a keep have
      // already moved.
      for (Operation &op : llvm::make_early_inc_range(llvm::reverse(*block)))
        if (isOfCache(&op))
          op.moveBefore(limitOf(&op));
    });
  }
};
} // namespace
