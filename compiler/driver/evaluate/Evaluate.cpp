// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/driver/evaluate/Evaluate.h"

#include "compiler/driver/cli/Diagnostics.h"
#include "compiler/driver/evaluate/Calibration.h"
#include "compiler/driver/evaluate/EvaluateModule.h"
#include "compiler/driver/model/LoadModel.h"
#include "runtime/Error.h"
#include "runtime/files/GuardedFiles.h"
#include "runtime/files/arrays/Npy.h"

#include <fmt/format.h>

#include <filesystem>

using namespace mlir;
using namespace transfold;
using runtime::fail;

static void write(const driver::Outputs &outputs,
                  const std::string &directory) {
  std::error_code error;
  std::filesystem::create_directories(directory, error);
  if (error)
    fail("{}: cannot make the directory: {}", directory, error.message());
  auto pathOf = [&](const std::string &name) {
    return fmt::format("{}/{}.npy", directory, name);
  };
  // Checks all paths first: either all files are written or none.
  std::vector<std::string> paths;
  for (const auto &[name, output] : outputs)
    paths.push_back(pathOf(name));
  runtime::checkOutputs(paths);
  for (const auto &[name, output] : outputs)
    runtime::writeNpy(pathOf(name), output.shape, output.values);
}

void driver::evaluate(const EvaluateOptions &options) {
  MLIRContext context;
  LoadedModel loaded = loadModel(context, options.model, options.spec);
  PassManager passes(&context);
  Stage after = std::min(options.after, Stage::Host);
  if (options.chunk)
    after = std::max(after, Stage::Staged);
  addPasses(passes, Stage::Xf, after, "host",
            withCalibration(options.fold, *loaded.module, *loaded.checkpoint));
  Diagnostics diagnostics(context);
  if (failed(passes.run(*loaded.module)))
    diagnostics.raise("the passes failed");
  Outputs outputs =
      evaluateModule(*loaded.module, *loaded.checkpoint, options.inputs,
                     options.entry, options.chunk);
  write(outputs, options.output);
}
