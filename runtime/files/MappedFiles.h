// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which files this process has mapped, and whether they are still what they
// were. A file that somebody writes into changes below whoever reads it, and
// where it has become shorter the system ends the process by SIGBUS.

#ifndef TRANSFOLD_RUNTIME_FILES_MAPPEDFILES_H
#define TRANSFOLD_RUNTIME_FILES_MAPPEDFILES_H

#include <optional>
#include <string>

namespace transfold::runtime {

/// From here on the end of the process by SIGBUS says which file has become
/// shorter, in one line that begins with `program`, removes what is temporary,
/// and has the exit status 1. For the beginning of main(): a library leaves the
/// signals of its process alone.
void tellOfShortenedFiles(const std::string &program);

/// A file that is mapped and was written into since then; none where all are as
/// they were. A file that was replaced by renaming another is as it was.
std::optional<std::string> changedFile();

/// One place in the list of mapped files (FileMapping).
struct MappedFileEntry;

} // namespace transfold::runtime

#endif // TRANSFOLD_RUNTIME_FILES_MAPPEDFILES_H
