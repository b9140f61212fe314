// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A lock on a folder, so that one process at a time names files in it.

#pragma once

#include "base/NonCopyable.h"

#include <chrono>
#include <string>

namespace transfold {

/// Of all processes that use this lock for a folder, only one holds it at a
/// time. On a file system without locks, it has no effect. Hold it only
/// briefly: not while computing or writing data.
class FolderLock : NonCopyable {
public:
  /// Locks the folder of `path`. Any process that can open a folder can lock
  /// it, so the waiting time is limited: throws Error when it is over.
  explicit FolderLock(
      const std::string &path,
      std::chrono::milliseconds atMost = std::chrono::seconds(5));
  ~FolderLock();

private:
  int descriptor;
};

} // namespace transfold
