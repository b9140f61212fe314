// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Running the linker. All of these throw LinkError.

#ifndef TRANSFOLD_COMPILER_LINK_LINKER_H
#define TRANSFOLD_COMPILER_LINK_LINKER_H

#include "compiler/link/Link.h"

#include <string>
#include <vector>

namespace transfold::runtime {
class TemporaryFolder;
}

namespace transfold::link {

void writeFile(const std::string &path, const std::string &bytes);
std::string readFile(const std::string &path);
/// Writes the objects into the folder. Returns their paths.
std::vector<std::string> writeObjects(const std::vector<Object> &objects,
                                      runtime::TemporaryFolder &folder);

/// What is made, and of what.
struct LinkJob {
  enum class Kind {
    Object, // of several, which is not linked with anything
    SharedLibrary,
    Executable,
    StaticExecutable // at any address, as others are
  };
  Kind kind;
  std::string output;
  std::vector<std::string> words; // the linker's own: files, "--gc-sections"
};

/// What the linker is told of everything that can be loaded: tables of
/// addresses are filled at the start and then only read, and no stack holds
/// code.
inline constexpr const char *hardeningWords[] = {"-z",  "relro", "-z",
                                                 "now", "-z",    "noexecstack"};

/// Runs the linker. Messages are about `name`.
void runLinker(const LinkJob &job, const LinkTools &tools,
               const std::string &name, runtime::TemporaryFolder &folder);

} // namespace transfold::link

#endif // TRANSFOLD_COMPILER_LINK_LINKER_H
