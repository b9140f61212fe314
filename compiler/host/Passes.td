// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The passes of this stage, which plan memory and launches.

#ifndef TRANSFOLD_COMPILER_HOST_PASSES_TD
#define TRANSFOLD_COMPILER_HOST_PASSES_TD

include "mlir/Pass/PassBase.td"

def DeriveBatch : Pass<"xf-derive-batch", "::transfold::xf::EntryOp"> {
  let summary = "Runs equations for one sequence on a batch of several";
  let description = [{
    Sequences of different lengths are concatenated, without padding. The batch
    laws of its operations determine whether a kernel runs once for all rows or
    once for each sequence.
  }];
  let dependentDialects = ["::transfold::xf::XfDialect"];
  let statistics = [
    Statistic<"rows", "rows", "Launches over all rows at once">,
    Statistic<"sequences", "sequences", "Launches for each sequence">
  ];
}

def PlaceMemory : Pass<"xf-place-memory", "::transfold::xf::EntryOp"> {
  let summary = "Inserts transfers between the host's memory and the kernels'";
  let description = [{
    Arguments come from the host's memory and results go back to it; in between,
    all values stay in the memory of the kernels, which their target determines.
    A value that a loop carries gets a transfer where it may have to be copied
    into the loop's own buffer.
  }];
  let dependentDialects = ["::transfold::xf::XfDialect"];
}

def GatherCacheWrites : Pass<"xf-gather-cache-writes", "::transfold::xf::EntryOp"> {
  let summary = "Groups the cache stores of a step on a device";
  let description = [{
    In an entry whose kernels use a device's memory, keeps move down to the
    first operation that depends on them, so that those of a layer are
    consecutive: the device then performs their copies together.
  }];
  let dependentDialects = ["::transfold::xf::XfDialect"];
}

def JoinLaunches : Pass<"xf-join-launches", "::transfold::xf::EntryOp"> {
  let summary = "Runs launches that multiply the same rows together";
  let description = [{
    Examples are queries, keys and values, or a gate and the value that it
    gates: with few rows, each finishes before all threads have begun it.
    Launches of kernels that write in one parallel loop, and that need each
    other's results at most for their own task, become adjacent and are
    `joined`: threads go from one to the next without a barrier.
  }];
  let dependentDialects = ["::transfold::xf::XfDialect"];
  let statistics = [
    Statistic<"joined", "joined", "Launches that run together with the one before">
  ];
}

def PlanMemory : Pass<"xf-plan-memory", "::transfold::xf::EntryOp"> {
  let summary = "Assigns a buffer to every value";
  let description = [{
    Values with disjoint live ranges share a slot of the arena, which is in the
    memory of the kernels. A transfer within one memory gets its source's buffer
    and costs nothing, except for a carried value that is still read when the
    next one is computed.
  }];
  let dependentDialects = ["::transfold::xf::XfDialect"];
  let statistics = [
    Statistic<"slots", "slots", "Slots of all arenas">,
    Statistic<"copies", "copies", "Transfers that copy">
  ];
}

def PlaceCacheWrites : Pass<"xf-place-cache-writes", "::transfold::xf::EntryOp"> {
  let summary = "Decides how rows and states get into caches";
  let description = [{
    In an entry whose kernels use a device's memory, a launch writes the rows of
    a single sequence directly into the cache that stores them, if nothing else
    needs them in a buffer; and the copies of consecutive cache writes start
    together. A launch that computes the states of a recurrence writes them over
    those before, if no other operation reads these.
  }];
  let dependentDialects = ["::transfold::xf::XfDialect"];
  let statistics = [
    Statistic<"byLaunch", "by-launch", "Cache writes that launches do themselves">
  ];
}

#endif // TRANSFOLD_COMPILER_HOST_PASSES_TD
