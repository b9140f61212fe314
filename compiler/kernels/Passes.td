// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TRANSFOLD_COMPILER_KERNELS_PASSES_TD
#define TRANSFOLD_COMPILER_KERNELS_PASSES_TD

include "mlir/Pass/PassBase.td"

def ChooseStorage : Pass<"xf-choose-storage", "::mlir::ModuleOp"> {
  let summary = "says how weights and what kernels make are stored";
  let description = [{
    Numbers of 16 bits stay as the checkpoint has them, matrices of contractions
    lie in panels, and a table that is also a head is read from its panels:
    `xf.storage` of arguments. So are results and caches whose numbers kernels
    round to bfloat16, on processors.
  }];
  let options = [
    Option<"target", "target", "std::string", "\"host\"",
           "the machine to compile for, as Halide writes it">
  ];
  let statistics = [
    Statistic<"rounded", "results-rounded", "Kernels that store what they round in fewer bits">,
    Statistic<"shared", "tables-shared", "Tables read from the panels of a head">,
    Statistic<"split", "kernels-split", "Kernels that were added for weights in several formats">
  ];
}

def AssignSchedules : Pass<"xf-assign-schedules", "::mlir::ModuleOp"> {
  let summary = "gives each kernel its schedule and target";
  let description = [{
    From the anchor, the sizes in the types, and the machine. A kernel that has
    a schedule keeps it. The files in schedule/ say what the numbers mean.

    A kernel whose schedule is in `schedules`, a file of `transfold tune`, has
    that one, and says so: `xf.measured` of the kernel; `xf.schedules` of the
    module counts them. With `trials`, for a single processor, kernels have
    their schedules by rule, and the others beside them as variants trial1,
    trial2, …: those of `schedules`, or, without a file, those that are worth a
    try. `transfold tune` runs them in turn. `xf.tried` says what the file would
    call a kernel.
  }];
  let options = [
    Option<"target", "target", "std::string", "\"host\"",
           "the machine to compile for, as Halide writes it">,
    Option<"schedules", "schedules", "std::string", "\"\"",
           "a file of schedules that were measured">,
    Option<"trials", "trials", "bool", "false",
           "add kernels with other schedules, to be measured">
  ];
  let statistics = [
    Statistic<"measured", "kernels-measured", "Kernels that have a schedule of the file">,
    Statistic<"tried", "kernels-tried", "Kernels that were added to be measured">
  ];
}

#endif // TRANSFOLD_COMPILER_KERNELS_PASSES_TD
