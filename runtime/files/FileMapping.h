// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A file's bytes as memory, for reading; or memory in the place of a file.

#ifndef TRANSFOLD_RUNTIME_FILES_FILEMAPPING_H
#define TRANSFOLD_RUNTIME_FILES_FILEMAPPING_H

#include <cstdint>
#include <span>
#include <string>
#include <utility>

namespace transfold::runtime {

class FileMapping {
public:
  FileMapping() = default;
  /// An input is guarded: no output takes its place (GuardedFiles.h). What will
  /// be replaced itself, and what a user writes back to, is not.
  enum class As { Input, Replaceable };
  /// Maps a regular file. Throws Error.
  explicit FileMapping(const std::string &path, As use = As::Input);
  /// Takes what mmap gave, with contents of its own: it is unmapped at the end.
  explicit FileMapping(std::span<const uint8_t> mapped) : content(mapped) {}
  ~FileMapping();
  FileMapping(FileMapping &&other) noexcept
      : content(std::exchange(other.content, {})) {}
  FileMapping &operator=(FileMapping &&other) noexcept {
    std::swap(content, other.content);
    return *this;
  }

  /// Aligned to a page.
  std::span<const uint8_t> bytes() const { return content; }

private:
  std::span<const uint8_t> content;
};

} // namespace transfold::runtime

#endif // TRANSFOLD_RUNTIME_FILES_FILEMAPPING_H
