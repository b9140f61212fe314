// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Opens, elaborates and imports a model, and checks what all commands rely on.

#include "compiler/driver/model/LoadModel.h"

#include "compiler/driver/cli/Diagnostics.h"
#include "compiler/driver/cli/Report.h"
#include "compiler/driver/model/Locations.h"
#include "compiler/import/Import.h"
#include "compiler/spec/syntax/Diagnostic.h"
#include "compiler/stage/Passes.h"
#include "dialect/legal/Legality.h"

#include <fmt/format.h>
#include <mlir/Pass/PassManager.h>

using namespace transfold;

/// Checks what a module may contain, and proves the causality that tasks
/// require, before anything relies on them.
static void proveClaims(mlir::ModuleOp module) {
  driver::Diagnostics diagnostics(*module.getContext());
  mlir::PassManager passes(module.getContext());
  passes.addPass(xf::createVerifyStage(xf::ModuleStage::Xf));
  passes.addNestedPass<xf::EntryOp>(stage::createProveCausality());
  if (failed(passes.run(module)))
    diagnostics.raise("a property that a task requires could not be proven");
}

/// If the spec was found automatically, the user knows only the file: reports
/// the error in terms of the file.
[[noreturn]] static void failForFile(const checkpoint::Checkpoint &checkpoint,
                                     const spec::SpecError &error) {
  const spec::Place &at = error.first().at;
  std::string alike; // similar tensor names in the file
  for (const std::string &note : error.first().notes)
    if (note.starts_with("It does have: ") || note.starts_with("  "))
      alike += "\n   " + note;
  throw std::runtime_error(fmt::format(
      "{}: has no tensor {}, which models of the architecture '{}' have: the "
      "file is incomplete, or models of this kind are not supported; fetch it "
      "again, or give another file of the model{}\n"
      "   ({}:{}:{} reads it.)",
      checkpoint.path(), error.missingTensor, checkpoint.architecture().name,
      alike, at.source->path, at.line, at.column));
}

driver::LoadedModel driver::loadModel(mlir::MLIRContext &context,
                                      const std::string &directory,
                                      const std::string &spec,
                                      checkpoint::WithoutWeights missing) {
  LoadedModel loaded;
  loaded.checkpoint = checkpoint::Checkpoint::open(directory, missing);
  std::string path = spec.empty() ? findSpec(*loaded.checkpoint) : spec;
  std::vector<spec::Diagnostic> warnings;
  try {
    loaded.model =
        spec::Model::load(path, specFolder(), loaded.checkpoint.get());
    loaded.module = importer::importModel(context, *loaded.model, &warnings);
  } catch (const spec::SpecError &error) {
    if (spec.empty() && !error.missingTensor.empty() && error.first().at.source)
      failForFile(*loaded.checkpoint, error);
    throw;
  }
  proveClaims(*loaded.module);
  for (spec::Diagnostic &warning : loaded.model->finish())
    warnings.push_back(std::move(warning));
  report(warnings);
  return loaded;
}
