// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The command `eval` of the compiler.

#include "compiler/driver/evaluate/Evaluate.h"

#include "base/Error.h"
#include "base/files/GuardedFiles.h"
#include "base/files/arrays/Npy.h"
#include "compiler/driver/evaluate/Calibration.h"
#include "compiler/driver/evaluate/EvaluateModule.h"
#include "compiler/driver/model/LoadModel.h"
#include "compiler/driver/pipeline/Lowering.h"

#include <fmt/format.h>

#include <filesystem>

using namespace mlir;
using namespace transfold;

/// Writes each result as NAME.npy in float64.
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
  checkOutputs(paths);
  for (const auto &[name, output] : outputs)
    writeNpy(pathOf(name), output.shape, output.values);
}

void driver::evaluate(const EvaluateOptions &options) {
  MLIRContext context;
  LoadedModel loaded = loadModel(context, options.model, options.spec);
  Stage after = std::min(options.after, Stage::Host);
  if (options.chunk)
    after = std::max(after, Stage::Staged);
  runStages(*loaded.module,
            {.to = after,
             .target = "host",
             .fold = withCalibration(options.fold, *loaded.module,
                                     *loaded.checkpoint)});
  Outputs outputs =
      evaluateModule(*loaded.module, *loaded.checkpoint, options.inputs,
                     options.entry, options.chunk);
  write(outputs, options.output);
}
