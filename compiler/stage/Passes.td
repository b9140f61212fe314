// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TRANSFOLD_COMPILER_STAGE_PASSES_TD
#define TRANSFOLD_COMPILER_STAGE_PASSES_TD

include "mlir/Pass/PassBase.td"

def ProveCausality : Pass<"xf-prove-causality", "::transfold::xf::EntryOp"> {
  let summary = "Results of causal arguments depend on earlier rows only";
  let description = [{
    Row i of each result depends on rows 0 to i of every argument that is marked
    xf.causal: the tokens of an entry that generates. Fails at the operation that
    looks ahead.
  }];
  let statistics = [
    Statistic<"proven", "arguments-proven", "Arguments of which only earlier rows are read">
  ];
}

def DeriveSteps : Pass<"xf-derive-steps", "::mlir::ModuleOp"> {
  let summary = "Causal entries over whole sequences get one that goes on with them";
  let description = [{
    An entry whose every row depends on rows before it, and on none behind it, can
    be computed some rows at a time: one with an argument that is marked xf.causal.
    What later rows read of earlier ones is kept in caches; what does not depend on
    the sequence at all is computed once, by an entry of its own.
  }];
  let dependentDialects = ["::transfold::xf::XfDialect"];
  let statistics = [
    Statistic<"caches", "caches", "What is kept of each sequence">
  ];
}

def BoundWindows : Pass<"xf-bound-windows", "::mlir::ModuleOp"> {
  let summary = "How far back the readers of a cache look";
  let description = [{
    Sets the window of a cache whose every reader has a mask that is proven to see
    no key that is more than window - 1 positions before the query. A program
    gives back the memory of what lies before.
  }];
  let statistics = [
    Statistic<"bounded", "caches-bounded", "Caches that keep a window only">
  ];
}

#endif // TRANSFOLD_COMPILER_STAGE_PASSES_TD
