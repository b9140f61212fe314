// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Opens mappings, with the errors of checkpoints.

#include "compiler/checkpoint/MappedFile.h"

#include "base/Error.h"
#include "compiler/checkpoint/Checkpoint.h"

#include <fmt/format.h>

namespace transfold::checkpoint {

/// Refuses the placeholder that Git LFS leaves for a large file that it has not
/// fetched.
static void refusePointer(const std::string &path, std::string_view text) {
  if (text.starts_with("version https://git-lfs.github.com/spec/"))
    throw CheckpointError(
        fmt::format("{}: is a pointer of Git LFS, and not the file itself; "
                    "run `git lfs pull` in its folder",
                    path));
}

std::shared_ptr<const MappedFile> MappedFile::open(const std::string &path) {
  try {
    std::shared_ptr<const MappedFile> mapped(
        new MappedFile(path, FileMapping(path, FileMapping::Watch::Yes)));
    refusePointer(path, mapped->text());
    return mapped;
  } catch (const Error &error) {
    throw CheckpointError(error.what());
  }
}

} // namespace transfold::checkpoint
