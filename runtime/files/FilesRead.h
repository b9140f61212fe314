// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which files a process has read, for tools that repeat a compilation only when
// one of them has changed.

#ifndef TRANSFOLD_RUNTIME_FILES_FILESREAD_H
#define TRANSFOLD_RUNTIME_FILES_FILESREAD_H

#include <string>
#include <vector>

namespace transfold::runtime {

/// From here on the two functions below take notes; before, they do nothing.
void recordFilesRead();

/// `path` was opened for reading, or looked for. Everything that opens a file
/// which somebody gave says so, whether the file was there or not.
void noteRead(const std::string &path);
/// `path`, a file or a folder, is this process's own: reading it, or what lies
/// in it, is not reading an input.
void noteWritten(const std::string &path);

/// What the results of this process depend on, sorted, each path once: files,
/// and folders where a file was looked for that was not there. Throws Error
/// where nothing was recorded.
std::vector<std::string> filesRead();

} // namespace transfold::runtime

#endif // TRANSFOLD_RUNTIME_FILES_FILESREAD_H
