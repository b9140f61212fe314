// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A file's bytes as memory, read by the kernel when they are touched. Weights
// of many gigabytes are opened this way and never copied as a whole.

#ifndef TRANSFOLD_COMPILER_CHECKPOINT_MAPPEDFILE_H
#define TRANSFOLD_COMPILER_CHECKPOINT_MAPPEDFILE_H

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace transfold::checkpoint {

class MappedFile {
public:
  /// Maps a regular file for reading. Throws CheckpointError.
  static std::shared_ptr<const MappedFile> open(const std::string &path);
  ~MappedFile();
  MappedFile(const MappedFile &) = delete;
  MappedFile &operator=(const MappedFile &) = delete;

  const std::string &path() const { return filePath; }
  std::span<const std::byte> bytes() const { return content; }
  std::string_view text() const {
    return {reinterpret_cast<const char *>(content.data()), content.size()};
  }

private:
  MappedFile(std::string path, std::span<const std::byte> bytes)
      : filePath(std::move(path)), content(bytes) {}

  std::string filePath;
  std::span<const std::byte> content;
};

} // namespace transfold::checkpoint

#endif // TRANSFOLD_COMPILER_CHECKPOINT_MAPPEDFILE_H
