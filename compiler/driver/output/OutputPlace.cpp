// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checks places of output. Links are followed first, because the file that a
// link leads to is the one that will be replaced.

#include "compiler/driver/output/OutputPlace.h"

#include "base/files/GuardedFiles.h"
#include "base/files/output/OutputFile.h"
#include "compiler/driver/output/Compile.h"

#include <fmt/format.h>

#include <filesystem>
#include <stdexcept>

using namespace transfold;

void driver::guardInputs(const CompileOptions &options) {
  for (const std::string &path : {options.model, options.spec,
                                  options.chatTemplate, options.schedules.file})
    if (!std::filesystem::is_directory(path))
      guardInput(path);
  // NAME=FILE.npy, or a text file.
  for (const std::string &word : options.fold.samples)
    guardInput(word.substr(word.find('=') + 1));
}

void driver::checkFolderOf(const std::string &output) {
  auto folder = std::filesystem::path(followLinks(output)).parent_path();
  if (!folder.empty() && !std::filesystem::is_directory(folder))
    throw std::runtime_error(
        fmt::format("{}: the folder {} does not exist; create it first", output,
                    folder.string()));
  // Temporary files have a longer name until they are complete, and so do the
  // weights next to a program.
  constexpr size_t appended = 32, longest = 255;
  if (std::filesystem::path(output).filename().string().size() >
      longest - appended)
    throw std::runtime_error(fmt::format(
        "{}: the name is too long for a file; give one of at most {} bytes",
        output, longest - appended));
}

void driver::checkIsNoFolder(const std::string &output,
                             const std::string &what) {
  if (std::filesystem::is_directory(output))
    throw std::runtime_error(
        fmt::format("{}: is a folder; give {} with -o", output, what));
}
