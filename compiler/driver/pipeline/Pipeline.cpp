// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The order of the passes. It is the same for all commands, so that `check`,
// `eval` and `verify` see the modules that `compile` makes.

#include "compiler/driver/pipeline/Pipeline.h"

#include "compiler/fold/Passes.h"
#include "compiler/fuse/Passes.h"
#include "compiler/host/Passes.h"
#include "compiler/kernels/Passes.h"
#include "compiler/kernels/schedule/choose/Target.h"
#include "compiler/stage/Passes.h"
#include "compiler/weights/Passes.h"
#include "dialect/legal/Legality.h"

#include <mlir/Transforms/Passes.h>

using namespace mlir;
using namespace transfold;
using namespace transfold::driver;

const std::map<std::string, Stage> &driver::stageNames() {
  static const std::map<std::string, Stage> names = {
      {"ast", Stage::Ast},       {"equations", Stage::Equations},
      {"xf", Stage::Xf},         {"folded", Stage::Folded},
      {"staged", Stage::Staged}, {"kernels", Stage::Kernels},
      {"host", Stage::Host},     {"stmt", Stage::Statements},
      {"llvm", Stage::Llvm},     {"asm", Stage::Assembly},
      {"obj", Stage::Object},    {"exe", Stage::Executable},
      {"lib", Stage::Library},   {"deb", Stage::Package}};
  return names;
}

/// Also false for an invalid target, which assigning schedules reports.
static bool runsOnGpu(const std::string &target) {
  try {
    return kernels::describeMachines(target).front().isGpu;
  } catch (const std::exception &) {
    return false;
  }
}

void FoldOptions::quantize(StringRef word) {
  const bool isOfWeights = word.consume_back(":weights");
  weights = word == "bf16"   ? fold::Weights::BF16
            : word == "int8" ? fold::Weights::Int8
            : word == "int5" ? fold::Weights::Int5
                             : fold::Weights::Int4;
  if (!isOfWeights)
    products = word == "bf16" ? fold::Products::BF16 : fold::Products::Int8;
}

namespace {
/// A pass that runs a callback of the driver. MLIR is built without exceptions,
/// so it converts them to errors.
class OnModel : public PassWrapper<OnModel, OperationPass<ModuleOp>> {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(OnModel)

  explicit OnModel(std::function<void(ModuleOp)> action)
      : action(std::move(action)) {}

  StringRef getName() const override { return "OnModel"; }

  void runOnOperation() override {
    try {
      action(getOperation());
    } catch (const std::exception &error) {
      getOperation().emitError(error.what());
      signalPassFailure();
    }
  }

private:
  std::function<void(ModuleOp)> action;
};
} // namespace

void driver::addRoundings(PassManager &passes, const FoldOptions &folding) {
  auto keepBeyondScales = [&] {
    if (folding.weights != fold::Weights::Stored && folding.scaleRange)
      passes.addPass(std::make_unique<OnModel>(folding.scaleRange));
  };
  if (folding.weights != fold::Weights::Stored)
    passes.addPass(fold::createQuantizeWeights({folding.weights}));
  keepBeyondScales();
  if (folding.calibration) {
    if (!llvm::is_contained(folding.keep, "all")) {
      fold::EqualizeChannelsOptions equalize;
      llvm::append_range(equalize.keep, folding.keep);
      passes.addPass(fold::createEqualizeChannels(equalize));
    }
    passes.addPass(std::make_unique<OnModel>(folding.calibration));
    keepBeyondScales(); // with the chosen factors
  }
  if (folding.products != fold::Products::Exact)
    passes.addPass(
        fold::createRoundProducts({folding.products, folding.roundsAttention}));
}

/// Adds the passes that fold constants, biases and gains into weights.
static void addFolding(PassManager &passes, const FoldOptions &folding) {
  fold::MoveBiasesOptions biases;
  llvm::append_range(biases.keep, folding.keep);
  passes.addPass(fold::createMoveBiases(biases));
  if (folding.gains) {
    fold::MoveGainsOptions gains;
    llvm::append_range(gains.keep, folding.keep);
    passes.addPass(fold::createMoveGains(gains));
  }
  fold::ReassociateOptions order;
  llvm::append_range(order.keep, folding.keep);
  passes.addPass(fold::createReassociate(order));
  passes.addPass(weights::createDeriveWeights());
  fold::FoldGaugesOptions gauges;
  llvm::append_range(gauges.keep, folding.keep);
  gauges.intoLowPrecision = folding.intoLowPrecision;
  gauges.namesWeights = static_cast<bool>(folding.calibration);
  passes.addPass(fold::createFoldGauges(gauges));
  // Removes weights that are not read any more.
  passes.addPass(fold::createSelectResults());
}

/// Adds the passes from the imported equations to Stage::Folded.
static void addFoldedStage(PassManager &passes, const FoldOptions &folding) {
  fold::SelectResultsOptions select;
  llvm::append_range(select.results, folding.results);
  passes.addPass(fold::createSelectResults(select));
  if (!llvm::is_contained(folding.keep, "all"))
    addFolding(passes, folding);
  addRoundings(passes, folding);
  if (folding.tapLayers)
    passes.addPass(fold::createTapLayers());
}

/// Adds the passes that form kernels for `target` and assign their schedules.
static void addKernelsStage(PassManager &passes, const std::string &target,
                            const ScheduleOptions &schedules) {
  passes.addPass(createCanonicalizerPass());
  passes.addPass(createCSEPass());
  // With xf-compute-chosen the host would have to wait for the counts of
  // chosen rows.
  const bool isForGpu = runsOnGpu(target);
  passes.addPass(stage::createMoveIntoScans());
  if (isForGpu)
    passes.addPass(fuse::createListChosen());
  passes.addPass(fuse::createUnrollFamilies());
  if (!isForGpu)
    passes.addPass(fuse::createComputeChosen());
  passes.addPass(fuse::createMergeHeads());
  passes.addPass(fuse::createMergeFamilies());
  passes.addPass(createCSEPass());
  passes.addPass(fuse::createFormKernels({isForGpu}));
  passes.addPass(kernels::createChooseStorage({target}));
  passes.addPass(kernels::createAssignSchedules(
      {target, schedules.file, schedules.trials}));
}

/// Adds the passes that plan weights, memory and transfers.
static void addHostStage(PassManager &passes) {
  passes.addPass(weights::createPlaceWeights());
  passes.addNestedPass<xf::EntryOp>(host::createDeriveBatch());
  passes.addNestedPass<xf::EntryOp>(host::createPlaceMemory());
  passes.addNestedPass<xf::EntryOp>(host::createGatherCacheWrites());
  passes.addNestedPass<xf::EntryOp>(host::createJoinLaunches());
  passes.addNestedPass<xf::EntryOp>(host::createPlanMemory());
  passes.addNestedPass<xf::EntryOp>(host::createPlaceCacheWrites());
}

void driver::addPasses(PassManager &passes, Stage from, Stage to,
                       const std::string &target, const FoldOptions &folding,
                       bool withSteps, const ScheduleOptions &schedules) {
  // Each stage ends with the check of what a module may contain after it.
  auto ends = [&](xf::ModuleStage stage) {
    passes.addPass(xf::createVerifyStage(stage));
  };
  if (from < Stage::Folded && to >= Stage::Folded) {
    addFoldedStage(passes, folding);
    ends(xf::ModuleStage::Folded);
  }
  if (from < Stage::Staged && to >= Stage::Staged) {
    passes.addPass(stage::createMoveIntoScans());
    passes.addPass(stage::createOrderStates());
    if (withSteps) {
      passes.addPass(stage::createDeriveSteps());
      passes.addPass(stage::createBoundWindows());
    }
    ends(xf::ModuleStage::Staged);
  }
  if (from < Stage::Kernels && to >= Stage::Kernels) {
    addKernelsStage(passes, target, schedules);
    ends(xf::ModuleStage::Kernels);
  }
  if (from < Stage::Host && to >= Stage::Host) {
    addHostStage(passes);
    ends(xf::ModuleStage::Host);
  }
}
