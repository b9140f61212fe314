// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TRANSFOLD_COMPILER_KERNELS_PASSES_TD
#define TRANSFOLD_COMPILER_KERNELS_PASSES_TD

include "mlir/Pass/PassBase.td"

def ChooseStorage : Pass<"xf-choose-storage", "::mlir::ModuleOp"> {
  let summary = "says how the weights that kernels read are stored";
  let description = [{
    Numbers of 16 bits stay as the checkpoint has them, matrices of contractions
    lie in panels, and a table that is also a head is read from its panels:
    `xf.storage` of arguments.
  }];
  let options = [
    Option<"target", "target", "std::string", "\"host\"",
           "the machine to compile for, as Halide writes it">
  ];
  let statistics = [
    Statistic<"shared", "tables-shared", "Tables read from the panels of a head">,
    Statistic<"split", "kernels-split", "Kernels that were added for weights in several formats">
  ];
}

def AssignSchedules : Pass<"xf-assign-schedules", "::mlir::ModuleOp"> {
  let summary = "gives each kernel its schedule and target";
  let description = [{
    From the anchor, the sizes in the types, and the machine. A kernel that has
    a schedule keeps it. The files in schedule/ say what the numbers mean.
  }];
  let options = [
    Option<"target", "target", "std::string", "\"host\"",
           "the machine to compile for, as Halide writes it">
  ];
}

#endif // TRANSFOLD_COMPILER_KERNELS_PASSES_TD
