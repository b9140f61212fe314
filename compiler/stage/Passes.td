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

#endif // TRANSFOLD_COMPILER_STAGE_PASSES_TD
