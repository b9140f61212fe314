// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TRANSFOLD_COMPILER_STAGE_PASSES_TD
#define TRANSFOLD_COMPILER_STAGE_PASSES_TD

include "mlir/Pass/PassBase.td"

def DeriveSteps : Pass<"xf-derive-steps", "::mlir::ModuleOp"> {
  let summary = "Entries over whole sequences get one that goes on with them";
  let description = [{
    An entry whose every row depends on rows before it, and on none behind it, can
    be computed some rows at a time. What later rows read of earlier ones is kept in
    caches; what does not depend on the sequence at all is computed once, by an
    entry of its own.
  }];
  let dependentDialects = ["::transfold::xf::XfDialect"];
  let options = [
    ListOption<"entries", "entries", "std::string", "Names of the entries">
  ];
  let statistics = [
    Statistic<"caches", "caches", "What is kept of each sequence">
  ];
}

#endif // TRANSFOLD_COMPILER_STAGE_PASSES_TD
