// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The safetensors format: eight bytes with the length of the header, a JSON
// header with dtype, shape and byte range of every tensor, then the bytes.

#pragma once

#include "compiler/checkpoint/Checkpoint.h"
#include "compiler/checkpoint/MappedFile.h"

#include <map>
#include <string>

namespace transfold::checkpoint {

/// The tensors of one file; they point into the mapping. As the format
/// requires, they cover the bytes after the header without gaps or overlaps.
/// Throws CheckpointError.
std::map<std::string, StoredTensor> readSafetensors(const MappedFile &file);

} // namespace transfold::checkpoint
