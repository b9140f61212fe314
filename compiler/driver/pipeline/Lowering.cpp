// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs the passes for all targets. Up to the stage `Staged` they do not depend
// on the target, and run once; then each target gets a copy of the module.

#include "compiler/driver/pipeline/Lowering.h"

#include "compiler/driver/cli/Diagnostics.h"
#include "compiler/driver/pipeline/Targets.h"
#include "compiler/kernels/build/BuildKernels.h"
#include "compiler/weights/SharePlaces.h"

#include <mlir/Pass/PassManager.h>

using namespace mlir;
using namespace transfold;
using namespace transfold::driver;

Lowering::Lowering(MLIRContext &context, std::vector<std::string> targets,
                   ScheduleOptions schedules, PassObserver observer)
    : context(context), targets(std::move(targets)),
      schedules(std::move(schedules)), observer(std::move(observer)) {}

void driver::runStages(ModuleOp module, const StageRange &range) {
  MLIRContext &context = *module.getContext();
  PassManager passes(&context);
  if (failed(applyPassManagerCLOptions(passes)))
    throw std::runtime_error("the --mlir- options contradict each other");
  applyDefaultTimingPassManagerCLOptions(passes);
  if (range.observer)
    passes.addInstrumentation(std::make_unique<RecordPasses>(
        range.observer, range.from >= Stage::Staged ? range.target : ""));
  if (range.prepare)
    range.prepare(passes);
  // A module with taps is only observed, so it needs no entries for steps.
  addPasses(passes, range.from, range.to, range.target, range.fold,
            /*withSteps=*/!range.fold.tapLayers, range.schedules);
  Diagnostics diagnostics(context);
  if (failed(passes.run(module)))
    diagnostics.raise("the model could not be compiled");
}

void Lowering::runPasses(ModuleOp module, Stage from, Stage to,
                         const std::string &target, const FoldOptions &fold) {
  runStages(module, {from, to, target, fold, schedules, observer});
}

void Lowering::run(ModuleOp module, Stage to, const FoldOptions &fold) {
  all = {module};
  // The last target is the one whose machine starts the program.
  if (targets.size() == 1)
    return runPasses(module, Stage::Xf, to, targets.back(), fold);
  const Stage shared = std::min(to, Stage::Staged);
  runPasses(module, Stage::Xf, shared, targets.back(), fold);
  if (to <= Stage::Staged)
    return;
  for (size_t k = 1; k < targets.size(); ++k) {
    copies.emplace_back(module.clone());
    all.push_back(*copies.back());
  }
  for (auto [each, name] : llvm::zip(all, targets)) {
    runPasses(each, shared, Stage::Kernels, name, fold);
    nameKernelsApart(each, name);
    if (to > Stage::Kernels)
      runPasses(each, Stage::Kernels, to, name, fold);
  }
  if (to > Stage::Kernels)
    weights::sharePlaces(all);
}

void Lowering::checkKernels() {
  for (ModuleOp module : all) {
    Diagnostics diagnostics(context);
    if (failed(kernels::defineKernels(module)))
      diagnostics.raise("a kernel could not be compiled");
  }
}

void driver::checkCompiles(ModuleOp module, std::vector<std::string> targets) {
  Lowering lowering(*module.getContext(), std::move(targets));
  lowering.run(module, Stage::Host);
  lowering.checkKernels();
}
