// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An entry in the list of mapped files. A signal handler reads the list and
// cannot take a lock: therefore the list only grows, and entries are reused.

#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <string>
#include <sys/stat.h>

namespace transfold {

/// One mapped file; its members are guarded as noted.
struct MappedFileEntry {
  std::atomic<const uint8_t *> begin = nullptr; // null: the entry is unused
  std::atomic<size_t> bytes = 0;
  /// Whether a FileMapping owns the entry; `begin` is set later and reset
  /// earlier.
  std::atomic<bool> used = false;
  /// Set before the entry is in the list, and constant from then on.
  MappedFileEntry *next = nullptr;

  std::mutex mutex; // guards the members below; handlers only read them
  std::string path;
  int descriptor = -1; // of the file itself, even if it is renamed
  /// Size in bytes when the file was mapped.
  off_t size = 0;
  /// Time of the last modification when the file was mapped, or later accepted.
  timespec written = {};

  /// Describes the mapping, at `at`, of the file that `opened` is open for.
  /// Takes ownership of the descriptor, which close() closes.
  void open(const std::string &name, int opened, const struct stat &status,
            const uint8_t *at);
  /// Closes the descriptor, and makes the entry available to others.
  void close();
  /// Whether size or modification time of the file have changed.
  bool isChanged();
  /// Accepts the current modification time.
  void accept();

  /// Returns an unused entry, adding one if necessary.
  static MappedFileEntry *add();
};

} // namespace transfold
