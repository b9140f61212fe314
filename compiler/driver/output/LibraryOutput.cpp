// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Places a library and its accompanying files. They are written under temporary
// names, and renamed by the caller together with the weights.

#include "compiler/driver/output/LibraryOutput.h"

#include "base/files/input/FileMapping.h"
#include "compiler/driver/model/Locations.h"
#include "compiler/driver/output/OutputPlace.h"
#include "compiler/kernels/schedule/choose/Target.h"

#include <filesystem>

using namespace transfold;
using namespace transfold::driver;

LibraryOutput::LibraryOutput(const std::string &output,
                             const std::string &target)
    : folder(output.empty() ? "." : output),
      parts(libraryParts(target, kernels::crossTripleOf(target))),
      headers(libraryHeaders()) {
  if (std::filesystem::is_directory(folder))
    return;
  checkFolderOf(output);
  name = link::nameOfFile(output);
  folder = std::filesystem::path(output).parent_path().string();
}

std::string LibraryOutput::pathOf(const std::string &file) const {
  return (std::filesystem::path(folder.empty() ? "." : folder) / file).string();
}

const link::LibraryName &LibraryOutput::nameFor(const std::string &model) {
  if (name.name.empty())
    name = link::nameOfModel(model);
  return name;
}

std::vector<std::string> LibraryOutput::paths() const {
  if (name.name.empty())
    return {};
  std::vector<std::string> all = {path(), weightsPath()};
  for (const char *end : {".h", ".pc", "-static.pc", "Config.cmake"})
    all.push_back(pathOf(name.name + end));
  for (const std::string &header : headers)
    all.push_back(pathOf(std::filesystem::path(header).filename().string()));
  return all;
}

OutputFile &LibraryOutput::add(const std::string &file) {
  return *written.emplace_back(std::make_unique<OutputFile>(pathOf(file)));
}

void LibraryOutput::write(const std::vector<link::Object> &objects,
                          const std::string &model) {
  const link::LibraryName &own = nameFor(model);
  link::linkLibrary(objects, parts, own, add(own.file()));
  add(own.name + ".h").write(link::headerOf(own, model));
  std::string pkgConfig = link::pkgConfigOf(own, model, TRANSFOLD_VERSION);
  // If both are in one folder, NAME.pc describes the shared library.
  if (own.isShared ||
      !std::filesystem::exists(pathOf("lib" + own.name + ".so")))
    add(own.name + ".pc").write(pkgConfig);
  if (!own.isShared)
    add(own.name + "-static.pc").write(pkgConfig);
  add(own.name + "Config.cmake").write(link::cmakeConfigOf(own));
  for (const std::string &header : headers) {
    FileMapping text(header);
    add(std::filesystem::path(header).filename().string()).write(text.text());
  }
}

std::vector<OutputFile *> LibraryOutput::files() const {
  std::vector<OutputFile *> all;
  for (const auto &file : written)
    all.push_back(file.get());
  return all;
}
