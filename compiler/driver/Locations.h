// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where the compiler finds what belongs to it: specs and the runtime library,
// beside its own executable or where it was built.

#ifndef TRANSFOLD_COMPILER_DRIVER_LOCATIONS_H
#define TRANSFOLD_COMPILER_DRIVER_LOCATIONS_H

#include "compiler/link/Library.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace transfold::checkpoint {
class Checkpoint;
}

namespace transfold::driver {

/// The path of this compiler; empty where the system does not say.
std::string ownExecutable();

/// Folder that holds the specs and std/; TRANSFOLD_SPECS overrides it.
std::string specFolder();
/// What a program links beside its objects: for the machines of `target`, that
/// are `triple` where they are of another kind than this one. Throws
/// std::runtime_error where it is missing.
link::Libraries librariesOf(const std::string &target,
                            const std::string &triple);
/// The same of a library. Throws std::runtime_error.
link::LibraryParts libraryParts(const std::string &target,
                                const std::string &triple);
/// The headers of C and C++ that come with it. Throws std::runtime_error.
std::vector<std::string> libraryHeaders();
/// Where built kernels are kept: in TRANSFOLD_CACHE, or in "transfold" of
/// XDG_CACHE_HOME or ~/.cache. Empty where none of these is known.
std::string kernelCacheFolder();
/// How many bytes they may take: TRANSFOLD_CACHE_MIB, or 1 GiB. Throws
/// std::runtime_error where that is no number.
uint64_t kernelCacheLimit();

/// The specs in that folder by the names of their models.
std::map<std::string, std::string> specFiles();
/// The spec of a checkpoint: the file in the spec folder that says that it is
/// for its architecture, or has the architecture's name. Throws
/// std::runtime_error with what there is.
std::string findSpec(const checkpoint::Checkpoint &checkpoint);

} // namespace transfold::driver

#endif // TRANSFOLD_COMPILER_DRIVER_LOCATIONS_H
