// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// CTranslate2's model.bin (written by python/ctranslate2/specs/model_spec.py,
// read by src/models/model.cc), versions 2 to 6. Little-endian, without
// alignment:
//
//   u32 version, TEXT spec, u32 revision
//   u32 count; for each variable:
//     TEXT name, u8 rank, u32 extents, u8 type, u32 bytes, its elements
//     (before version 4: u8 bytes per element and u32 elements instead, and
//     the type follows from their size)
//   from version 3 on: u32 count; for each alias: TEXT alias, TEXT name
//
//   TEXT: u16 length, bytes, the last of which is zero
//
// Every count, length, type and name is checked before it is used, because a
// file may be truncated or forged.

#pragma once

#include "compiler/checkpoint/Checkpoint.h"
#include "compiler/checkpoint/MappedFile.h"

namespace transfold::checkpoint {

/// The contents of a model.bin.
struct Ct2File {
  std::shared_ptr<const MappedFile> file;
  uint32_t version = 0;
  /// "TransformerSpec": the class of CTranslate2 that reads the file. Empty in
  /// files of version 2 for what is "TransformerSpec" today.
  std::string spec;
  /// Variables, and aliases as separate tensors. Integers with a variable
  /// NAME_scale have it as their scales, and NAME_scale is not in the map.
  std::map<std::string, StoredTensor> tensors;

  /// Maps and parses a file. Throws CheckpointError.
  static Ct2File open(const std::string &path);
};

} // namespace transfold::checkpoint
