// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Records which files a process has read, for tools that repeat a compilation
// only if one of them has changed.

#pragma once

#include <string>
#include <vector>

namespace transfold {

/// Starts recording; before, the two functions below do nothing.
void recordFilesRead();

/// Records that `path` was opened for reading, or looked for. All code that
/// opens a file given by the user calls this, whether the file exists or not.
void noteRead(const std::string &path);
/// Records that `path`, a file or a folder, was created by this process:
/// reading it, or a file in it, is not reading an input.
void noteWritten(const std::string &path);

/// The paths on which the results of this process depend, sorted, each once:
/// files, and the folders in which a missing file was looked for. Throws Error
/// if nothing was recorded.
std::vector<std::string> filesRead();

} // namespace transfold
