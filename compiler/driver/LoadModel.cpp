// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/driver/LoadModel.h"

#include "compiler/calibrate/LargeBiases.h"
#include "compiler/driver/Diagnostics.h"
#include "compiler/driver/Locations.h"
#include "compiler/import/Import.h"
#include "compiler/stage/Passes.h"
#include "runtime/commands/Messages.h"

#include <fmt/format.h>
#include <mlir/Pass/PassManager.h>

using namespace transfold;

/// What a task claims of the equations is proven before anything uses it.
static void proveClaims(mlir::ModuleOp module) {
  driver::Diagnostics diagnostics(*module.getContext());
  mlir::PassManager passes(module.getContext());
  passes.addNestedPass<xf::EntryOp>(stage::createProveCausality());
  if (failed(passes.run(module)))
    diagnostics.raise("what a task claims could not be proven");
}

driver::LoadedModel driver::loadModel(mlir::MLIRContext &context,
                                      const std::string &directory,
                                      const std::string &spec,
                                      checkpoint::WithoutWeights missing) {
  LoadedModel loaded;
  loaded.checkpoint = checkpoint::Checkpoint::open(directory, missing);
  std::string path = spec.empty() ? findSpec(*loaded.checkpoint) : spec;
  loaded.model = spec::Model::load(path, specFolder(), loaded.checkpoint.get());
  std::vector<std::string> warnings;
  loaded.module = importer::importModel(context, *loaded.model, &warnings);
  proveClaims(*loaded.module);
  calibrate::markLargeBiases(*loaded.module, *loaded.checkpoint);
  for (std::string &warning : loaded.model->finish())
    warnings.push_back(std::move(warning));
  for (const std::string &warning : warnings)
    runtime::reportLine(warning);
  return loaded;
}
