// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loads a spec with all libraries that it uses, directly or indirectly: parsed,
// every name resolved to a declaration and every table checked against the
// declarations that it places. The elaborator checks shapes and values.

#pragma once

#include "compiler/spec/syntax/Ast.h"
#include "compiler/spec/syntax/Diagnostic.h"

#include <functional>
#include <map>
#include <memory>
#include <string>

namespace transfold::spec {

/// A spec and its libraries, with all names checked.
struct LoadedSpec {
  /// The requested file; a model, or a library on its own.
  File main;
  /// The used libraries by the path that `use` writes: "std/norm.xf". Addresses
  /// of files stay valid as long as the LoadedSpec lives, also when it moves.
  std::map<std::string, File> libraries;
};

/// Reads and parses `path` and its libraries, whose paths are relative to
/// `root` (the folder that holds std/), and checks them all (checkScopes).
/// Throws SpecError, also for files that cannot be read.
LoadedSpec loadSpec(const std::string &path, const std::string &root);

/// Reads the file with a path; throws SpecError if it cannot be read.
using ReadSource =
    std::function<std::shared_ptr<const Source>(const std::string &path)>;

/// Parses the same files, which `read` reads, without checking their names.
/// Adds mistakes to `errors`; the result has everything without mistakes.
LoadedSpec parseSpec(const std::string &path, const std::string &root,
                     const ReadSource &read, Errors &errors);

} // namespace transfold::spec
