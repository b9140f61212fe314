// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Linking on machines that have no compiler: with a linker of our own, which
// lies in a folder with what programs of C and C++ begin and end with.

#ifndef TRANSFOLD_COMPILER_LINK_BUNDLE_H
#define TRANSFOLD_COMPILER_LINK_BUNDLE_H

#include "compiler/link/Linker.h"

#include <string>
#include <vector>

namespace transfold::link {

/// The folder of the machine's static C library. Throws LinkError where none is
/// installed.
std::string staticCLibrary(const std::string &triple);

/// The command that does `job` with the linker in `folder`, and with the C
/// library that this process runs with, or the machine's static one. Throws
/// LinkError where that is not known.
std::vector<std::string> bundledCommand(const LinkJob &job,
                                        const std::string &folder);

} // namespace transfold::link

#endif // TRANSFOLD_COMPILER_LINK_BUNDLE_H
