// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/driver/LoadModel.h"

#include "compiler/driver/Locations.h"
#include "compiler/import/Import.h"
#include "compiler/stage/Passes.h"

#include <fmt/format.h>
#include <mlir/Pass/PassManager.h>

#include <cstdio>

using namespace transfold;

/// A pass that refuses the equations says where in the spec: its message is the
/// spec's.
[[noreturn]] static void throwAsSpecError(mlir::Diagnostic &error) {
  spec::Place at;
  if (auto place = mlir::dyn_cast<mlir::FileLineColLoc>(error.getLocation()))
    at = {spec::Source::load(place.getFilename().str()), place.getLine(),
          place.getColumn()};
  std::vector<std::string> notes;
  for (mlir::Diagnostic &note : error.getNotes())
    notes.push_back(note.str());
  throw spec::SpecError(at, error.str(), notes);
}

/// What a task claims of the equations is proven before anything uses it.
static void proveClaims(mlir::ModuleOp module) {
  std::optional<mlir::Diagnostic> error;
  mlir::ScopedDiagnosticHandler handler(module.getContext(),
                                        [&](mlir::Diagnostic &diagnostic) {
                                          if (!error)
                                            error = std::move(diagnostic);
                                        });
  mlir::PassManager passes(module.getContext());
  passes.addNestedPass<xf::EntryOp>(stage::createProveCausality());
  if (failed(passes.run(module)) && error)
    throwAsSpecError(*error);
}

driver::LoadedModel driver::loadModel(mlir::MLIRContext &context,
                                      const std::string &directory,
                                      const std::string &spec,
                                      checkpoint::WithoutWeights missing) {
  LoadedModel loaded;
  loaded.checkpoint = checkpoint::Checkpoint::open(directory, missing);
  std::string path = spec.empty() ? findSpec(*loaded.checkpoint) : spec;
  loaded.model = spec::Model::load(path, specFolder(), loaded.checkpoint.get());
  loaded.module = importer::importModel(context, *loaded.model);
  proveClaims(*loaded.module);
  for (const std::string &warning : loaded.model->finish())
    fmt::print(stderr, "{}\n", warning);
  return loaded;
}
