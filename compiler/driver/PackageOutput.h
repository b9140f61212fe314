// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// compile --emit=deb: a program, its weights and what belongs to them as a
// package of Debian.

#ifndef TRANSFOLD_COMPILER_DRIVER_PACKAGEOUTPUT_H
#define TRANSFOLD_COMPILER_DRIVER_PACKAGEOUTPUT_H

#include "runtime/commands/Contents.h"
#include "runtime/files/Temporary.h"

#include <string>

namespace transfold::driver {

struct PackageOptions {
  std::string output;  // NAME.deb
  std::string name;    // empty: as `output` is called
  std::string version; // empty: 1.0
  std::string triple;  // of another kind of machine; empty: this one
};

class PackageOutput {
public:
  /// Throws std::exception where no package can be made, or not there.
  explicit PackageOutput(const PackageOptions &options);

  const std::string &name() const { return options.name; }
  /// Where the program goes, with its weights beside it, before write().
  std::string programPath() const;
  /// Packs it. Throws std::exception.
  void write(const runtime::ProgramContents &contents, bool serves);

private:
  PackageOptions options;
  std::string dpkg;                // the program that packs
  runtime::TemporaryFolder folder; // beside the output: weights are large

  std::string tree() const { return folder.file("tree"); }
  void writeText(const std::string &path, const std::string &text) const;
  void writeLink() const;
  std::string control(const runtime::ProgramContents &contents) const;
  void pack();
};

} // namespace transfold::driver

#endif // TRANSFOLD_COMPILER_DRIVER_PACKAGEOUTPUT_H
