// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A place in the list of mapped files. A signal handler reads it, which can
// take no lock: the list only grows, and places are used again.

#ifndef TRANSFOLD_RUNTIME_FILES_MAPPEDFILEENTRY_H
#define TRANSFOLD_RUNTIME_FILES_MAPPEDFILEENTRY_H

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <string>
#include <sys/stat.h>

namespace transfold::runtime {

struct MappedFileEntry {
  std::atomic<const uint8_t *> begin = nullptr; // null: nothing is mapped
  std::atomic<size_t> bytes = 0;
  std::atomic<bool> used = false;
  MappedFileEntry *next = nullptr;

  std::mutex mutex; // of what follows, which handlers only read
  std::string path;
  int descriptor = -1; // of the file itself, whatever its name becomes
  off_t size = 0;
  timespec written = {};

  /// What to do with the file that `descriptor` is open for, which this closes
  /// at the end.
  void open(const std::string &name, int opened, const struct stat &status,
            const uint8_t *at);
  void close();
  bool isChanged();
  /// It is what it should be although it was written.
  void accept();

  /// A free place of the list.
  static MappedFileEntry *add();
};

} // namespace transfold::runtime

#endif // TRANSFOLD_RUNTIME_FILES_MAPPEDFILEENTRY_H
