// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/driver/LoadModel.h"

#include "compiler/driver/Locations.h"
#include "compiler/import/Import.h"

#include <fmt/format.h>

#include <cstdio>

using namespace transfold;

driver::LoadedModel driver::loadModel(mlir::MLIRContext &context,
                                      const std::string &directory,
                                      const std::string &spec,
                                      checkpoint::WithoutWeights missing) {
  LoadedModel loaded;
  loaded.checkpoint = checkpoint::Checkpoint::open(directory, missing);
  std::string path = spec.empty() ? findSpec(*loaded.checkpoint) : spec;
  loaded.model = spec::Model::load(path, specFolder(), loaded.checkpoint.get());
  loaded.module = importer::importModel(context, *loaded.model);
  for (const std::string &warning : loaded.model->finish())
    fmt::print(stderr, "{}\n", warning);
  return loaded;
}
