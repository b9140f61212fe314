// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The commands `ledger` and `explain`.

#include "compiler/driver/pipeline/ShowLedger.h"

#include "base/files/output/OutputFile.h"
#include "compiler/calibrate/LargeBiases.h"
#include "compiler/driver/model/LoadModel.h"
#include "compiler/driver/pipeline/Lowering.h"
#include "compiler/fold/Ledger.h"

#include <fmt/format.h>

using namespace mlir;
using namespace transfold;
using namespace transfold::driver;

/// Loads and folds the model.
static LoadedModel loadFolded(MLIRContext &context,
                              const LedgerOptions &options) {
  LoadedModel loaded = loadModel(context, options.model, options.spec);
  // It decides which biases move.
  calibrate::markLargeBiases(*loaded.module, *loaded.checkpoint);
  FoldOptions fold = options.fold;
  // The placement of channel factors does not depend on their values.
  if (!fold.samples.empty())
    fold.calibration = [](ModuleOp) {};
  runStages(*loaded.module, {.to = Stage::Folded, .fold = fold});
  return loaded;
}

void driver::showLedger(const LedgerOptions &options) {
  MLIRContext context;
  LoadedModel loaded = loadFolded(context, options);
  print(options.json ? fold::ledgerJson(*loaded.module).dump(2) + "\n"
                     : fold::ledgerTable(*loaded.module));
  flushPrinted();
}

void driver::explainConstant(const LedgerOptions &options) {
  MLIRContext context;
  LoadedModel loaded = loadFolded(context, options);
  std::string story = fold::explain(*loaded.module, options.constant);
  if (story.empty()) {
    std::string known;
    for (auto line : loaded.module->getOps<xf::FoldedOp>())
      known += (known.empty() ? "" : ", ") + line.getWritten().str();
    throw std::runtime_error(
        fmt::format("the equations have no constant '{}'; they have {}",
                    options.constant, known.empty() ? "none" : known));
  }
  print(story);
  flushPrinted();
}
