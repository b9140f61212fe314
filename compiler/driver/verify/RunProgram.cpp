// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/driver/verify/RunProgram.h"

#include "base/Error.h"
#include "compiler/checkpoint/JsonFile.h"

#include <llvm/Support/FileSystem.h>
#include <llvm/Support/Program.h>

using namespace transfold;
using namespace transfold::driver;

/// Runs a command of the program; its output goes to `file`, or is discarded if
/// that is empty. Throws Error.
static void runCommand(const std::string &program,
                       const std::vector<std::string> &words,
                       const std::string &file = "") {
  std::vector<llvm::StringRef> arguments = {program};
  arguments.insert(arguments.end(), words.begin(), words.end());
  std::string message;
  std::optional<llvm::StringRef> redirects[] = {std::nullopt, file,
                                                std::nullopt};
  if (llvm::sys::ExecuteAndWait(program, arguments, std::nullopt, redirects, 0,
                                0, &message))
    fail("{}: its {} failed; {}", program, words[0],
         message.empty() ? "see its message above" : message);
}

FoundOutputs driver::runProgram(const std::string &program,
                                const std::vector<std::string> &inputs,
                                const Outputs &expected,
                                const std::string &folder, int64_t chunk) {
  llvm::SmallString<128> out;
  if (llvm::sys::fs::createUniqueDirectory(folder + "/results", out))
    fail("{}: cannot make a folder in it", folder);
  std::vector<std::string> words = {"eval", "--out", out.str().str()};
  for (const std::string &input : inputs)
    words.insert(words.end(), {"--in", input});
  if (chunk)
    words.insert(words.end(), {"--chunk", std::to_string(chunk)});
  runCommand(program, words);
  return readOutputs(out.str().str(), expected);
}

nlohmann::json driver::programJson(const std::string &program,
                                   const std::vector<std::string> &words,
                                   const std::string &folder) {
  const std::string file = folder + "/printed.json";
  runCommand(program, words, file);
  return checkpoint::readJsonFile(file);
}
