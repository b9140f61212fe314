// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The bytes of a file, mapped for reading; or other mapped memory.

#pragma once

#include "base/files/input/MappedFiles.h"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace transfold {

/// Owns the mapped memory. Can be moved, not copied.
class FileMapping {
public:
  /// Whether the file will be checked for changes later, for which it stays
  /// open.
  enum class Watch { No, Yes };

  FileMapping() = default;
  /// An input is guarded: no output may replace it (GuardedFiles.h). A file
  /// that will be replaced, or that the user writes back to, is not guarded.
  enum class As { Input, Replaceable };
  /// Maps a regular file. Throws Error.
  explicit FileMapping(const std::string &path, As use = As::Input,
                       Watch watch = Watch::No);
  FileMapping(const std::string &path, Watch watch)
      : FileMapping(path, As::Input, watch) {}
  /// Takes ownership of memory from mmap with its contents; it is unmapped at
  /// the end.
  explicit FileMapping(std::span<const uint8_t> mapped) : content(mapped) {}
  ~FileMapping();
  FileMapping(FileMapping &&other) noexcept
      : content(std::exchange(other.content, {})),
        entry(std::exchange(other.entry, nullptr)) {}
  FileMapping &operator=(FileMapping &&other) noexcept {
    std::swap(content, other.content);
    std::swap(entry, other.entry);
    return *this;
  }

  /// The content, aligned to a page.
  std::span<const uint8_t> bytes() const { return content; }
  /// For a watched file: whether it was written since it was mapped, or since
  /// accept() was called. May be called by any thread.
  bool isChanged() const;
  /// Accepts the current modification time: the file was written, but its
  /// content is right.
  void accept() const;
  /// Current size of the file; mapped bytes past it cannot be read.
  size_t bytesThere() const;

  /// The bytes as text.
  std::string_view text() const {
    return {reinterpret_cast<const char *>(content.data()), content.size()};
  }

private:
  /// Empty if the file is; an empty file has no mapping, and no entry either.
  std::span<const uint8_t> content;
  /// The file in the list of mapped files; null for other memory.
  MappedFileEntry *entry = nullptr;
};

} // namespace transfold
