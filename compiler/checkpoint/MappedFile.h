// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A file's bytes as memory, which the kernel reads when they are accessed.
// Weights of many gigabytes are opened this way and never copied as a whole.

#pragma once

#include "base/files/input/FileMapping.h"

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace transfold::checkpoint {

/// A file that is mapped for reading.
class MappedFile {
public:
  /// Maps a regular file for reading. Throws CheckpointError.
  static std::shared_ptr<const MappedFile> open(const std::string &path);

  const std::string &path() const { return filePath; }
  /// The contents, valid as long as this.
  std::span<const std::byte> bytes() const {
    return std::as_bytes(mapping.bytes());
  }
  /// The contents as text, whose encoding is not checked.
  std::string_view text() const { return mapping.text(); }

private:
  MappedFile(std::string path, FileMapping mapping)
      : filePath(std::move(path)), mapping(std::move(mapping)) {}

  std::string filePath;
  FileMapping mapping;
};

} // namespace transfold::checkpoint
