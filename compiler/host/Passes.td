// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TRANSFOLD_COMPILER_HOST_PASSES_TD
#define TRANSFOLD_COMPILER_HOST_PASSES_TD

include "mlir/Pass/PassBase.td"

def DeriveBatch : Pass<"xf-derive-batch", "::transfold::xf::EntryOp"> {
  let summary = "Equations for one sequence run for several";
  let description = [{
    Sequences of different lengths lie behind each other, without padding. From
    the batch laws of its operations follows whether a kernel runs once for all
    rows or once for each sequence.
  }];
  let dependentDialects = ["::transfold::xf::XfDialect"];
  let statistics = [
    Statistic<"rows", "rows", "Launches over all rows at once">,
    Statistic<"sequences", "sequences", "Launches for each sequence">
  ];
}

def PlaceMemory : Pass<"xf-place-memory", "::transfold::xf::EntryOp"> {
  let summary = "Values cross between host and device by transfers";
  let description = [{
    Arguments come from the host's memory and results go back to it; between,
    everything stays in the memory of the kernels, which their target names. What a loop carries gets a transfer where it
    may have to be copied into the loop's own buffer.
  }];
  let dependentDialects = ["::transfold::xf::XfDialect"];
}

def GatherKeeps : Pass<"xf-gather-keeps", "::transfold::xf::EntryOp"> {
  let summary = "Rows that a step keeps on a device are kept together";
  let description = [{
    Keeps in an entry whose kernels have a device's memory move down to the first
    operation that needs them, so that those of a layer stand together: the device
    copies them at a time.
  }];
  let dependentDialects = ["::transfold::xf::XfDialect"];
}

def JoinLaunches : Pass<"xf-join-launches", "::transfold::xf::EntryOp"> {
  let summary = "Launches that multiply the same rows run together";
  let description = [{
    Queries, keys and values; a gate and what it gates: of few rows, each is over
    before all threads have begun it. Launches of kernels that write in one parallel
    loop, and do not need each other's results but those of their own task, become
    neighbours and are `joined`: threads go from one to the next without waiting.
  }];
  let dependentDialects = ["::transfold::xf::XfDialect"];
  let statistics = [
    Statistic<"joined", "joined", "Launches that run together with the one before">
  ];
}

def PlanMemory : Pass<"xf-plan-memory", "::transfold::xf::EntryOp"> {
  let summary = "Every value gets its buffer";
  let description = [{
    Values that are alive at different times share a slot of the arena, which
    lies in the memory of the kernels. A transfer within one memory gets its source's buffer and costs nothing, but
    for a carried value that is still read when the next one is made.
  }];
  let dependentDialects = ["::transfold::xf::XfDialect"];
  let statistics = [
    Statistic<"slots", "slots", "Slots of all arenas">,
    Statistic<"copies", "copies", "Transfers that copy">
  ];
}

#endif // TRANSFOLD_COMPILER_HOST_PASSES_TD
