// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// compile --emit=deb: a Debian package with a program, its weights and
// accompanying files.

#pragma once

#include "base/files/Temporary.h"
#include "runtime/commands/info/Contents.h"

#include <string>

namespace transfold::driver {

/// The options of a package.
struct PackageOptions {
  std::string output;  // NAME.deb
  std::string name;    // empty: from the name of `output`
  std::string version; // empty: 1.0
  std::string triple;  // of another kind of machine; empty: this one
};

/// Assembles and packs a package.
class PackageOutput {
public:
  /// Throws std::exception if a package cannot be built, or not at this place.
  explicit PackageOutput(const PackageOptions &options);

  const std::string &name() const { return options.name; }
  /// The path for the program, with its weights next to it; to be written
  /// before write().
  std::string programPath() const;
  /// Packs it. Throws std::exception.
  void write(const runtime::ProgramContents &contents, bool serves);

private:
  PackageOptions options;
  std::string dpkg;       // the path of dpkg-deb
  TemporaryFolder folder; // next to the output: weights are large

  /// The folder whose contents the package will have.
  std::string tree() const { return folder.file("tree"); }
  /// Writes a file of the tree.
  void writeText(const std::string &path, const std::string &text) const;
  /// Links the program into the path of commands.
  void writeLink() const;
  /// The control file, with the size of all files that were written before.
  std::string control(const runtime::ProgramContents &contents) const;
  /// Packs the tree, and moves the package into place.
  void pack();
};

} // namespace transfold::driver
