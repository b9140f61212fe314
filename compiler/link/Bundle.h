// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Linking on machines without a compiler: uses the bundled linker, whose folder
// also contains the startup files and libraries of C and C++.

#pragma once

#include "compiler/link/Linker.h"

#include <string>
#include <vector>

namespace transfold::link {

/// The folder of the machine's static C library. Throws LinkError if none is
/// installed.
std::string staticCLibrary(const std::string &triple);

/// The command that runs `job` with the linker in `folder`, and with the C
/// library of this process, or the machine's static one. Throws LinkError if
/// the library is not found.
std::vector<std::string> bundledCommand(const LinkJob &job,
                                        const std::string &folder);

} // namespace transfold::link
