// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The passes of this stage, in the order in which they run: the proof when a
// model is loaded, the others in the pipeline.

#ifndef TRANSFOLD_COMPILER_STAGE_PASSES_TD
#define TRANSFOLD_COMPILER_STAGE_PASSES_TD

include "mlir/Pass/PassBase.td"

def ProveCausality : Pass<"xf-prove-causality", "::transfold::xf::EntryOp"> {
  let summary =
      "Proves that results depend only on earlier rows of causal arguments";
  let description = [{
    Row i of each result depends only on rows 0 to i of every argument that is
    marked xf.causal: the tokens of an entry that generates. Fails at the first
    operation that reads later rows.
  }];
  let statistics = [
    Statistic<"proven", "arguments-proven", "Arguments of which only earlier rows are read">
  ];
}

def MoveIntoScans : Pass<"xf-move-into-scans", "::mlir::ModuleOp"> {
  let summary = "Computes large values of recurrences for one position at a time";
  let description = [{
    The terms that are added to a state, and what reads the states, are computed
    in the region of the recurrence if fewer elements then remain for all
    positions: k[t]' @ v[t] of all positions is n times as large as a state.
  }];
  let dependentDialects = ["::transfold::xf::XfDialect"];
  let statistics = [
    Statistic<"moved", "operations-moved", "Operations that moved into a recurrence">
  ];
}

def OrderStates : Pass<"xf-order-states", "::mlir::ModuleOp"> {
  let summary = "Gives the states of recurrences an order of axes for vectors";
  let description = [{
    The axis along which a recurrence is independent becomes the last axis of
    its states, so that vectors of a state are contiguous in memory.
  }];
  let dependentDialects = ["::transfold::xf::XfDialect"];
  let statistics = [
    Statistic<"ordered", "states-ordered", "States whose axes are in another order">
  ];
}

def DeriveSteps : Pass<"xf-derive-steps", "::mlir::ModuleOp"> {
  let summary = "Derives entries that continue a sequence from causal entries";
  let description = [{
    An entry with an argument marked xf.causal, in which every row depends only
    on itself and earlier rows, can be computed some rows at a time. Values of
    earlier rows that later rows read are kept in caches; values that do not
    depend on the sequence are computed once, by an entry of their own.
  }];
  let dependentDialects = ["::transfold::xf::XfDialect"];
  let statistics = [
    Statistic<"caches", "caches", "Caches created for each sequence">
  ];
}

def BoundWindows : Pass<"xf-bound-windows", "::mlir::ModuleOp"> {
  let summary = "Bounds how far back the readers of a cache look";
  let description = [{
    Sets the window of a cache if every reader has a mask that is proven to hide
    all keys more than window - 1 positions before the query. A program releases
    the memory of earlier positions.
  }];
  let statistics = [
    Statistic<"bounded", "caches-bounded", "Caches that keep only a window">
  ];
}

#endif // TRANSFOLD_COMPILER_STAGE_PASSES_TD
