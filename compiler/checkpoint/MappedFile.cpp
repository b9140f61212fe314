// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/checkpoint/MappedFile.h"

#include "compiler/checkpoint/Checkpoint.h"
#include "runtime/Error.h"

namespace transfold::checkpoint {

std::shared_ptr<const MappedFile> MappedFile::open(const std::string &path) {
  try {
    return std::shared_ptr<const MappedFile>(new MappedFile(
        path, runtime::FileMapping(path, runtime::FileMapping::Watch::Yes)));
  } catch (const runtime::Error &error) {
    throw CheckpointError(error.what());
  }
}

} // namespace transfold::checkpoint
