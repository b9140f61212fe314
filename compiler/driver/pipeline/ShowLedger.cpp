// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/driver/pipeline/ShowLedger.h"

#include "compiler/driver/cli/Diagnostics.h"

#include "compiler/driver/model/LoadModel.h"
#include "compiler/fold/Ledger.h"
#include "runtime/files/output/OutputFile.h"

#include <fmt/format.h>

using namespace mlir;
using namespace transfold;
using namespace transfold::driver;

/// Loads and folds the model.
static LoadedModel loadFolded(MLIRContext &context,
                              const LedgerOptions &options) {
  LoadedModel loaded = loadModel(context, options.model, options.spec);
  PassManager passes(&context);
  FoldOptions fold = options.fold;
  // The placement of channel factors does not depend on their values.
  if (!fold.samples.empty())
    fold.calibration = [](ModuleOp) {};
  addPasses(passes, Stage::Xf, Stage::Folded, "", fold);
  Diagnostics diagnostics(context);
  if (failed(passes.run(*loaded.module)))
    diagnostics.raise("the passes failed");
  return loaded;
}

void driver::showLedger(const LedgerOptions &options) {
  MLIRContext context;
  LoadedModel loaded = loadFolded(context, options);
  runtime::print(options.json ? fold::ledgerJson(*loaded.module).dump(2) + "\n"
                              : fold::ledgerTable(*loaded.module));
  runtime::flushPrinted();
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
  runtime::print(story);
  runtime::flushPrinted();
}
