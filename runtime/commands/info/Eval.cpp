// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `eval`: arrays from files in, arrays in files out (Evaluation.h).

#include "base/files/output/OutputFile.h"
#include "runtime/commands/Commands.h"
#include "runtime/tasks/eval/Evaluation.h"

#include <filesystem>

namespace transfold::runtime::inline commands {

/// Writes each result to a file of its name, and prints its shape.
static void write(Evaluation &evaluation, const std::string &directory) {
  std::error_code error;
  std::filesystem::create_directories(directory, error);
  if (error)
    fail("{}: cannot make the directory: {}", directory, error.message());
  // Either all files are written or none.
  auto pathOf = [&](const std::string &name) {
    return (std::filesystem::path(directory) / (name + ".npy")).string();
  };
  std::vector<std::string> paths;
  for (const auto &[name, output] : evaluation.results())
    paths.push_back(pathOf(name));
  checkOutputs(paths);
  for (const auto &[name, output] : evaluation.results()) {
    const std::string path = pathOf(name);
    writeNpy(path, output.shape, output.values);
    print(
        fmt::format("{}  float32 [{}]\n", path, fmt::join(output.shape, ", ")));
  }
}

void eval(Session &session, const EvalOptions &options) {
  EvalInputs inputs(session.metadata(), options.inputs);
  Evaluation evaluation(session, inputs, options.entry, options.chunk);
  evaluation.run();
  write(evaluation, options.directory);
}

} // namespace transfold::runtime::inline commands
