// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One file in llama.cpp's format GGUF (ggml/docs/gguf.md), versions 2 and 3:
//
//   "GGUF", version, counts; then `count` pairs of a key and a typed value;
//   then for each tensor its name, extents, type and offset; then, aligned,
//   the tensors' bytes.
//
// Every count, length, type and offset is checked before it is used, because a
// file may be truncated or forged.

#pragma once

#include "compiler/checkpoint/Checkpoint.h"
#include "compiler/checkpoint/MappedFile.h"
#include "compiler/checkpoint/gguf/GgufArray.h"

namespace transfold::checkpoint {

/// A value of the metadata.
using GgufValue = std::variant<GgufScalar, GgufArray>;

/// The metadata and the tensors of one file.
struct GgufFile {
  std::shared_ptr<const MappedFile> file;
  /// Keys are UTF-8.
  std::map<std::string, GgufValue, std::less<>> metadata;
  std::map<std::string, StoredTensor> tensors;

  /// Maps and parses a file. Throws CheckpointError.
  static GgufFile open(const std::string &path);

  /// The value of a key; null if it is absent or of another type.
  template <typename T> const T *scalar(std::string_view key) const {
    auto found = metadata.find(key);
    if (found == metadata.end())
      return nullptr;
    auto *value = std::get_if<GgufScalar>(&found->second);
    return value ? std::get_if<T>(value) : nullptr;
  }
  /// The list of a key; null if it is absent or a single value.
  const GgufArray *array(std::string_view key) const {
    auto found = metadata.find(key);
    return found == metadata.end() ? nullptr
                                   : std::get_if<GgufArray>(&found->second);
  }
  /// A natural number of any integer type; nullopt if there is none.
  std::optional<uint64_t> count(std::string_view key) const;
};

} // namespace transfold::checkpoint
