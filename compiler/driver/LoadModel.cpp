// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/driver/LoadModel.h"

#include "compiler/driver/Locations.h"
#include "compiler/import/Import.h"
#include "compiler/reference/Interpreter.h"

#include <fmt/format.h>

#include <cstdio>

using namespace transfold;

/// How the checkpoint has the numbers of each weight, where it is not f32.
static void recordStorage(mlir::ModuleOp module,
                          const checkpoint::Checkpoint &checkpoint) {
  for (auto stored : module.getOps<xf::StoredOp>()) {
    auto dtype = reference::findStored(stored, 0, checkpoint).dtype;
    if (dtype != checkpoint::DType::F32)
      stored.setDtype(checkpoint::name(dtype));
  }
}

driver::LoadedModel driver::loadModel(mlir::MLIRContext &context,
                                      const std::string &directory,
                                      const std::string &spec) {
  LoadedModel loaded;
  loaded.checkpoint = checkpoint::Checkpoint::open(directory);
  std::string path = spec.empty() ? findSpec(*loaded.checkpoint) : spec;
  loaded.model = spec::Model::load(path, specFolder(), loaded.checkpoint.get());
  loaded.module = importer::importModel(context, *loaded.model);
  recordStorage(*loaded.module, *loaded.checkpoint);
  for (const std::string &warning : loaded.model->finish())
    fmt::print(stderr, "{}\n", warning);
  return loaded;
}
