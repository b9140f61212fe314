// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// CTranslate2's model.bin (python/ctranslate2/specs/model_spec.py writes it,
// src/models/model.cc reads it), versions 2 to 6. Little-endian, nothing is
// aligned:
//
//   u32 version, TEXT spec, u32 revision
//   u32 count; of each variable:
//     TEXT name, u8 rank, u32 extents, u8 type, u32 bytes, its numbers
//     (before version 4: u8 bytes of a number and u32 numbers instead, and
//     which type it is follows from their size)
//   from version 3 on: u32 count; of each alias: TEXT alias, TEXT name
//
//   TEXT: u16 length, bytes, of which the last is zero
//
// Every count, length, type and name is checked before it is used: a file may
// be cut short, or forged.

#ifndef TRANSFOLD_COMPILER_CHECKPOINT_CT2FILE_H
#define TRANSFOLD_COMPILER_CHECKPOINT_CT2FILE_H

#include "compiler/checkpoint/Checkpoint.h"
#include "compiler/checkpoint/MappedFile.h"

namespace transfold::checkpoint {

struct Ct2File {
  std::shared_ptr<const MappedFile> file;
  uint32_t version = 0;
  /// "TransformerSpec": which program of CTranslate2 reads it. Empty in files
  /// of version 2 for what is "TransformerSpec" today.
  std::string spec;
  /// Variables, and aliases as tensors of their own. Integers that NAME_scale
  /// belongs to have it as their scales, and NAME_scale is no tensor.
  std::map<std::string, StoredTensor> tensors;

  /// Throws CheckpointError.
  static Ct2File open(const std::string &path);
};

} // namespace transfold::checkpoint

#endif // TRANSFOLD_COMPILER_CHECKPOINT_CT2FILE_H
