// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Files that are read as a whole, and that users may as well give as a pipe:
// /dev/stdin, <(command), a FIFO.

#ifndef TRANSFOLD_RUNTIME_FILES_WHOLEFILE_H
#define TRANSFOLD_RUNTIME_FILES_WHOLEFILE_H

#include "runtime/files/FileMapping.h"

#include <cstddef>
#include <string>

namespace transfold::runtime {

/// What a file holds: a regular one is mapped, what comes through a pipe is
/// read until its end. Throws Error, also where there are more than `most`
/// bytes, of which no more are read.
FileMapping wholeFile(const std::string &path, size_t most,
                      FileMapping::As use = FileMapping::As::Input);

} // namespace transfold::runtime

#endif // TRANSFOLD_RUNTIME_FILES_WHOLEFILE_H
