// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Locates the compiler's own files: specs and the runtime library, next to its
// executable or where it was built.

#pragma once

#include "compiler/link/Library.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace transfold::checkpoint {
class Checkpoint;
}

namespace transfold::driver {

/// The path of this compiler; empty if the system does not provide it.
std::string ownExecutable();

/// The folder of the specs and std/; TRANSFOLD_SPECS overrides it.
std::string specFolder();
/// The libraries that a program is linked with for the machines of `target`;
/// `triple` is set if these are of another kind than this one. Throws
/// std::runtime_error if a library is missing.
link::Libraries librariesOf(const std::string &target,
                            const std::string &triple);
/// The same for a library. Throws std::runtime_error.
link::LibraryParts libraryParts(const std::string &target,
                                const std::string &triple);
/// The C and C++ headers of a library. Throws std::runtime_error.
std::vector<std::string> libraryHeaders();
/// The folder of cached kernels: in TRANSFOLD_CACHE, or in "transfold" of
/// XDG_CACHE_HOME or ~/.cache. Empty if none of these is set.
std::string kernelCacheFolder();
/// The maximum size of the cache in bytes: TRANSFOLD_CACHE_MIB, or 1 GiB.
/// Throws std::runtime_error if the variable is not a number.
uint64_t kernelCacheLimit();

/// The specs in the spec folder, by the names of their models.
std::map<std::string, std::string> specFiles();
/// The spec of a checkpoint: the file in the spec folder that claims its
/// architecture, or has the architecture's name. Throws std::runtime_error with
/// a list of the existing specs.
std::string findSpec(const checkpoint::Checkpoint &checkpoint);

} // namespace transfold::driver
