// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The passes of a compilation. `compile` generates a program from their result;
// `check` only tests whether they succeed.

#pragma once

#include "compiler/driver/pipeline/PassRecord.h"
#include "compiler/driver/pipeline/Pipeline.h"

#include <mlir/IR/MLIRContext.h>
#include <mlir/IR/OwningOpRef.h>

#include <string>
#include <vector>

namespace transfold::driver {

/// From which stage to which, and how.
struct StageRange {
  Stage from = Stage::Xf, to = Stage::Host;
  std::string target = ""; ///< from Stage::Kernels on
  FoldOptions fold = {};
  ScheduleOptions schedules = {};
  PassObserver observer = {}; ///< is told what each pass did; may be empty
  /// Adds what else observes the passes; may be empty.
  std::function<void(mlir::PassManager &)> prepare = {};
};

/// Runs the passes of the stages after `from` up to `to`. All commands run
/// passes by this function. Throws spec::SpecError if an equation cannot be
/// compiled.
void runStages(mlir::ModuleOp module, const StageRange &range);

/// Lowers a module for one or several targets.
class Lowering {
public:
  /// `targets` is the result of driver::targetsOf: at least one.
  Lowering(mlir::MLIRContext &context, std::vector<std::string> targets,
           ScheduleOptions schedules = {}, PassObserver observer = {});

  /// Lowers an imported module to stage `to`, for each target. Passes that
  /// depend on the equations alone run once; then each target has a module: the
  /// first one is `module`. Throws spec::SpecError if an equation cannot be
  /// compiled.
  void run(mlir::ModuleOp module, Stage to, const FoldOptions &fold = {});

  /// The modules of the targets, in their order; a single module for all
  /// targets before the first target-dependent stage.
  const std::vector<mlir::ModuleOp> &modules() const { return all; }

  /// Throws spec::SpecError if a kernel of the modules, which are at stage
  /// `Host`, cannot be defined. Generates no code.
  void checkKernels();

private:
  /// Runs the passes of the stages after `from` up to `to`.
  void runPasses(mlir::ModuleOp module, Stage from, Stage to,
                 const std::string &target, const FoldOptions &fold);

  mlir::MLIRContext &context;
  std::vector<std::string> targets;
  ScheduleOptions schedules;
  PassObserver observer;
  std::vector<mlir::ModuleOp> all;
  std::vector<mlir::OwningOpRef<mlir::ModuleOp>> copies;
};

/// Throws spec::SpecError if `compile` would reject the equations of the
/// imported `module` for `targets`. Modifies the module.
void checkCompiles(mlir::ModuleOp module, std::vector<std::string> targets);

} // namespace transfold::driver
