// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// compile --emit=lib: the library and the files that belong to it, in one
// folder, which appear together.

#ifndef TRANSFOLD_COMPILER_DRIVER_LIBRARYOUTPUT_H
#define TRANSFOLD_COMPILER_DRIVER_LIBRARYOUTPUT_H

#include "compiler/link/Library.h"
#include "runtime/files/OutputFile.h"

#include <memory>
#include <string>
#include <vector>

namespace transfold::driver {

class LibraryOutput {
public:
  /// `output` is libNAME.so or libNAME.a, or the folder for it; empty for this
  /// one. Throws std::exception where there is no place for it, or nothing to
  /// make it of.
  LibraryOutput(const std::string &output, const std::string &target);

  /// What it is called: as `output` says, or as the model is.
  const link::LibraryName &nameFor(const std::string &model);
  /// Links the library and writes what lies beside it, all but the weights.
  /// Throws std::exception.
  void write(const std::vector<link::Object> &objects,
             const std::string &model);

  /// Of all files that may be written; none before it has a name.
  std::vector<std::string> paths() const;
  /// Of the library, and of its weights. Behind nameFor().
  std::string path() const { return pathOf(name.file()); }
  std::string weightsPath() const { return pathOf(name.name + ".weights"); }
  /// What write() wrote, without its names.
  std::vector<runtime::OutputFile *> files() const;

private:
  std::string folder;
  link::LibraryParts parts;
  std::vector<std::string> headers; // their paths
  link::LibraryName name;
  std::vector<std::unique_ptr<runtime::OutputFile>> written;

  std::string pathOf(const std::string &file) const;
  runtime::OutputFile &add(const std::string &file);
};

} // namespace transfold::driver

#endif // TRANSFOLD_COMPILER_DRIVER_LIBRARYOUTPUT_H
