// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An advisory lock by flock() on the folder itself, so that no lock file
// remains. The kernel releases it when the process ends, however it ends.

#include "base/files/output/FolderLock.h"

#include "base/Error.h"
#include "base/files/output/FolderOf.h"

#include <cerrno>
#include <fcntl.h>
#include <sys/file.h>
#include <thread>
#include <unistd.h>

namespace transfold {

FolderLock::FolderLock(const std::string &path,
                       std::chrono::milliseconds atMost)
    : descriptor(
          ::open(folderOf(path).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)) {
  using Clock = std::chrono::steady_clock;
  const Clock::time_point end = Clock::now() + atMost;
  // Other errors, such as a file system without locks, end the loop, and the
  // lock then has no effect. A blocking flock() has no time limit, hence the
  // polling.
  while (descriptor >= 0 && ::flock(descriptor, LOCK_EX | LOCK_NB) != 0 &&
         (errno == EWOULDBLOCK || errno == EINTR)) {
    if (Clock::now() >= end) {
      ::close(descriptor);
      fail("{}: another process holds the lock of the folder {} and does not "
           "give it back; end that process (`lslocks` and `fuser` name it), or "
           "write into another folder",
           path, folderOf(path));
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
}

FolderLock::~FolderLock() {
  if (descriptor < 0)
    return;
  // A process that was forked meanwhile may have the descriptor open too.
  ::flock(descriptor, LOCK_UN);
  ::close(descriptor);
}

} // namespace transfold
