// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The passes of a compilation. `compile` makes a program of what they leave;
// `check` asks the same passes whether there would be one.

#ifndef TRANSFOLD_COMPILER_DRIVER_LOWERING_H
#define TRANSFOLD_COMPILER_DRIVER_LOWERING_H

#include "compiler/driver/Pipeline.h"

#include <mlir/IR/MLIRContext.h>
#include <mlir/IR/OwningOpRef.h>

#include <string>
#include <vector>

namespace transfold::driver {

class Lowering {
public:
  /// `targets` are those of driver::targetsOf: at least one.
  Lowering(mlir::MLIRContext &context, std::vector<std::string> targets,
           ScheduleOptions schedules = {});

  /// Takes an imported module to stage `to`, for each target. What follows from
  /// the equations alone is done once; then each target has a module: the first
  /// is `module`. Throws spec::SpecError where an equation cannot be compiled.
  void run(mlir::ModuleOp module, Stage to, const FoldOptions &fold = {});

  /// The module of each target, in their order; before a stage for one kind of
  /// machine, one for all.
  const std::vector<mlir::ModuleOp> &modules() const { return all; }

  /// Throws spec::SpecError where a kernel of the modules, which are at stage
  /// `Host`, cannot be defined. No code is made of it.
  void checkKernels();

private:
  void runPasses(mlir::ModuleOp module, Stage from, Stage to,
                 const std::string &target, const FoldOptions &fold);

  mlir::MLIRContext &context;
  std::vector<std::string> targets;
  ScheduleOptions schedules;
  std::vector<mlir::ModuleOp> all;
  std::vector<mlir::OwningOpRef<mlir::ModuleOp>> copies;
};

/// Throws spec::SpecError where `compile` would refuse the equations of
/// `module`, as they were imported, for `targets`. The module is changed.
void checkCompiles(mlir::ModuleOp module, std::vector<std::string> targets);

} // namespace transfold::driver

#endif // TRANSFOLD_COMPILER_DRIVER_LOWERING_H
