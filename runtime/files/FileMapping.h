// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A file's bytes as memory, for reading; or memory in the place of a file.

#ifndef TRANSFOLD_RUNTIME_FILES_FILEMAPPING_H
#define TRANSFOLD_RUNTIME_FILES_FILEMAPPING_H

#include "runtime/files/MappedFiles.h"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace transfold::runtime {

class FileMapping {
public:
  /// Whether it is asked later if the file has changed, for which it stays
  /// open.
  enum class Watch { No, Yes };

  FileMapping() = default;
  /// An input is guarded: no output takes its place (GuardedFiles.h). What will
  /// be replaced itself, and what a user writes back to, is not.
  enum class As { Input, Replaceable };
  /// Maps a regular file. Throws Error.
  explicit FileMapping(const std::string &path, As use = As::Input,
                       Watch watch = Watch::No);
  FileMapping(const std::string &path, Watch watch)
      : FileMapping(path, As::Input, watch) {}
  /// Takes what mmap gave, with contents of its own: it is unmapped at the end.
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

  /// Aligned to a page.
  std::span<const uint8_t> bytes() const { return content; }
  /// Of a file that is watched: whether somebody has written into it since it
  /// was mapped, or accept() was called. For any thread.
  bool isChanged() const;
  /// The file is what it should be, although it was written.
  void accept() const;
  /// Bytes that the file has now; what lies after them cannot be read.
  size_t bytesThere() const;

  /// The bytes as text.
  std::string_view text() const {
    return {reinterpret_cast<const char *>(content.data()), content.size()};
  }

private:
  std::span<const uint8_t> content;
  MappedFileEntry *entry = nullptr;
};

} // namespace transfold::runtime

#endif // TRANSFOLD_RUNTIME_FILES_FILEMAPPING_H
