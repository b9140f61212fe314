// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// compile --emit=lib: writes the library and its accompanying files to one
// folder, where they appear together.

#pragma once

#include "base/files/output/OutputFile.h"
#include "compiler/link/Library.h"

#include <memory>
#include <string>
#include <vector>

namespace transfold::driver {

/// The files of a library.
class LibraryOutput {
public:
  /// `output` is libNAME.so or libNAME.a, or the folder for it; empty for the
  /// current one. Throws std::exception if the place is not usable, or if parts
  /// of the library are missing.
  LibraryOutput(const std::string &output, const std::string &target);

  /// The name of the library: from `output`, or that of the model.
  const link::LibraryName &nameFor(const std::string &model);
  /// Links the library and writes the accompanying files, all but the weights.
  /// Throws std::exception.
  void write(const std::vector<link::Object> &objects,
             const std::string &model);

  /// The paths of all files that may be written; empty before it has a name.
  std::vector<std::string> paths() const;
  /// The paths of the library, and of its weights. Requires nameFor() before.
  std::string path() const { return pathOf(name.file()); }
  std::string weightsPath() const { return pathOf(name.name + ".weights"); }
  /// The files that write() wrote, not yet renamed into place.
  std::vector<OutputFile *> files() const;

private:
  std::string folder;
  link::LibraryParts parts;
  std::vector<std::string> headers; // their paths
  link::LibraryName name;
  std::vector<std::unique_ptr<OutputFile>> written;

  /// The path of a file in the folder of the library.
  std::string pathOf(const std::string &file) const;
  /// Begins a file of the folder; it is owned by `written`.
  OutputFile &add(const std::string &file);
};

} // namespace transfold::driver
