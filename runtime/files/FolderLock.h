// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One process at a time gives files of a folder their names.

#ifndef TRANSFOLD_RUNTIME_FILES_FOLDERLOCK_H
#define TRANSFOLD_RUNTIME_FILES_FOLDERLOCK_H

#include <chrono>
#include <string>

namespace transfold::runtime {

/// Whoever holds the lock of a folder, of all processes that ask for it, is the
/// only one. Where the file system has no locks everybody is. It is for
/// moments: nobody computes or writes numbers while holding it.
class FolderLock {
public:
  /// Of the folder that `path` lies in. Anybody who can open a folder can lock
  /// it, so the wait has an end: throws Error after it.
  explicit FolderLock(
      const std::string &path,
      std::chrono::milliseconds atMost = std::chrono::seconds(5));
  ~FolderLock();
  FolderLock(const FolderLock &) = delete;
  FolderLock &operator=(const FolderLock &) = delete;

private:
  int descriptor;
};

} // namespace transfold::runtime

#endif // TRANSFOLD_RUNTIME_FILES_FOLDERLOCK_H
