// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The safetensors format: eight bytes with the header's length, a JSON header
// with dtype, shape and byte range of every tensor, then the bytes.

#ifndef TRANSFOLD_COMPILER_CHECKPOINT_SAFETENSORS_H
#define TRANSFOLD_COMPILER_CHECKPOINT_SAFETENSORS_H

#include "compiler/checkpoint/Checkpoint.h"
#include "compiler/checkpoint/MappedFile.h"

#include <map>
#include <string>

namespace transfold::checkpoint {

/// The tensors of one file; they point into the mapping. As the format
/// demands, they tile the bytes after the header without holes or overlaps.
/// Throws CheckpointError.
std::map<std::string, StoredTensor> readSafetensors(const MappedFile &file);

} // namespace transfold::checkpoint

#endif // TRANSFOLD_COMPILER_CHECKPOINT_SAFETENSORS_H
