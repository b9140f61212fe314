// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An entry in the list of mapped files. A signal handler reads the list and
// cannot take a lock: therefore the list only grows, and entries are reused.

#ifndef TRANSFOLD_RUNTIME_FILES_INPUT_MAPPEDFILEENTRY_H
#define TRANSFOLD_RUNTIME_FILES_INPUT_MAPPEDFILEENTRY_H

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <string>
#include <sys/stat.h>

namespace transfold::runtime {

/// One mapped file; its members are guarded as noted.
struct MappedFileEntry {
  std::atomic<const uint8_t *> begin = nullptr; // null: the entry is unused
  std::atomic<size_t> bytes = 0;
  std::atomic<bool> used = false;
  MappedFileEntry *next = nullptr;

  std::mutex mutex; // guards the members below; handlers only read them
  std::string path;
  int descriptor = -1; // of the file itself, even if it is renamed
  off_t size = 0;
  timespec written = {};

  /// Describes the mapping, at `at`, of the file that `opened` is open for.
  /// Takes ownership of the descriptor, which close() closes.
  void open(const std::string &name, int opened, const struct stat &status,
            const uint8_t *at);
  void close();
  /// Whether size or modification time of the file have changed.
  bool isChanged();
  /// Accepts the current modification time.
  void accept();

  /// Returns an unused entry, adding one if necessary.
  static MappedFileEntry *add();
};

} // namespace transfold::runtime

#endif // TRANSFOLD_RUNTIME_FILES_INPUT_MAPPEDFILEENTRY_H
