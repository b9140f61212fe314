// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The files that this process has mapped, and whether they have changed. If
// another process writes to a mapped file, its content changes while it is in
// use; if the file becomes shorter, the system ends the process with SIGBUS.

#pragma once

#include <optional>
#include <string>

namespace transfold {

/// Installs a handler for SIGBUS: it prints which file has become shorter, in
/// one line that begins with `program`, removes temporary files, and exits with
/// status 1. To be called at the beginning of main(): a library leaves the
/// signals of its process alone.
void tellOfShortenedFiles(const std::string &program);

/// A mapped file that was written after it was mapped; nullopt if there is
/// none. A file that was replaced by renaming another one counts as unchanged.
std::optional<std::string> changedFile();

/// One entry in the list of mapped files (FileMapping).
struct MappedFileEntry;

} // namespace transfold
