// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The passes of this stage; storage is chosen before schedules, which depend on
// it.

#ifndef TRANSFOLD_COMPILER_KERNELS_PASSES_TD
#define TRANSFOLD_COMPILER_KERNELS_PASSES_TD

include "mlir/Pass/PassBase.td"

def ChooseStorage : Pass<"xf-choose-storage", "::mlir::ModuleOp"> {
  let summary = "chooses the storage format of weights and kernel results";
  let description = [{
    Sets `xf.storage` of arguments: 16-bit values keep the format of the
    checkpoint, matrices of contractions are stored in panels, and a table that
    is also the output head is read from the panels of the head. On processors,
    results and caches whose values are rounded to bfloat16 by their kernels are
    stored as bfloat16, too.
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
  let summary = "gives each kernel a schedule and a target";
  let description = [{
    The schedule follows from the anchor, the sizes in the types, and the
    machine. A kernel that already has a schedule keeps it. The files in
    schedule/ explain the parameters of a schedule.

    A kernel whose schedule is found in `schedules`, a file written by
    `transfold tune`, gets that schedule and the attribute `xf.measured`;
    `xf.schedules` of the module counts these kernels. With `trials`, for a
    single processor, each kernel has its schedule by rule, and variants named
    trial1, trial2, … are added to it with the alternative schedules: those of
    `schedules` or, without a file, those that are worth a trial. `transfold
    tune` runs the variants in turn. `xf.tried` holds the name under which the
    file lists the kernel.
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
