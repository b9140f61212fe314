// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Files that are read as a whole, and that users may also give as a pipe:
// /dev/stdin, <(command), a FIFO.

#pragma once

#include "base/files/input/FileMapping.h"

#include <cstddef>
#include <string>

namespace transfold {

/// The content of a file: a regular file is mapped, a pipe is read to its end.
/// Throws Error, also if there are more than `most` bytes; no more than that
/// are read.
FileMapping wholeFile(const std::string &path, size_t most,
                      FileMapping::As use = FileMapping::As::Input);

} // namespace transfold
