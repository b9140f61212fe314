// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Running the linker. All these functions throw LinkError.

#pragma once

#include "compiler/link/Link.h"

#include <string>
#include <vector>

namespace transfold {
class TemporaryFolder;
}

namespace transfold::link {

/// Writes a whole file.
void writeFile(const std::string &path, const std::string &bytes);
/// Returns the contents of a file, and notes that it was read.
std::string readFile(const std::string &path);
/// Writes the objects to the folder. Returns their paths.
std::vector<std::string> writeObjects(const std::vector<Object> &objects,
                                      TemporaryFolder &folder);

/// The kind of output, and its inputs.
struct LinkJob {
  /// The kinds of outputs.
  enum class Kind {
    Object, // combines several objects without linking libraries
    SharedLibrary,
    Executable,
    StaticExecutable // position-independent, like the others
  };
  Kind kind;
  std::string output;
  std::vector<std::string> words; // of the linker: files, "--gc-sections"
};

/// Linker arguments for everything that can be loaded: relocation tables are
/// filled at startup and then read-only, and the stack is not executable.
inline constexpr const char *hardeningWords[] = {"-z",  "relro", "-z",
                                                 "now", "-z",    "noexecstack"};

/// Argument of lld: functions with equal instructions are one, as templates
/// have many, unless their addresses are compared.
inline constexpr const char *foldEqualFunctions = "--icf=safe";

/// Runs the linker. Error messages are about `name`.
void runLinker(const LinkJob &job, const LinkTools &tools,
               const std::string &name, TemporaryFolder &folder);

} // namespace transfold::link
