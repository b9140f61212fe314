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

/// The first words of a command: the compiler that drives the linker for such
/// machines (an empty `triple`: this one), and which linker that is.
std::vector<std::string> linkerDriver(const std::string &triple);
/// Runs a command whose output is about `name`.
void runLinker(const std::vector<std::string> &command, const std::string &name,
               runtime::TemporaryFolder &folder);

} // namespace transfold::link

#endif // TRANSFOLD_COMPILER_LINK_LINKER_H
