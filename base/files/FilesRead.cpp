// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Keeps two sets of paths, those looked for and those created, and derives from
// them on what the results depend. A file that was missing counts, too: if it
// appears, a repeated compilation may have another result.

#include "base/files/FilesRead.h"

#include "base/Error.h"

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <mutex>
#include <set>

namespace transfold {

namespace fs = std::filesystem;

namespace {
/// Paths as given: a relative path stays relative.
struct Record {
  std::mutex mutex;
  std::set<std::string> read, written;
};
std::atomic<bool> isRecording = false;

/// The only record of the process. A function's static object exists as soon as
/// it is used, also by code that runs before main().
Record &record() {
  static Record own;
  return own;
}
} // namespace

/// Adds a path to one of the sets. Any thread may call this; the flag is read
/// without the lock, so that a process that records nothing pays next to
/// nothing.
static void add(std::set<std::string> Record::*paths, const std::string &path) {
  if (!isRecording || path.empty())
    return;
  std::lock_guard<std::mutex> lock(record().mutex);
  (record().*paths).insert(path);
}

void recordFilesRead() { isRecording = true; }
void noteRead(const std::string &path) { add(&Record::read, path); }
void noteWritten(const std::string &path) { add(&Record::written, path); }

/// The folder whose contents determine whether `path` exists.
static std::string folderThatTells(fs::path path) {
  std::error_code error;
  do {
    fs::path parent = path.parent_path();
    // A plain name lies in the current folder.
    if (parent.empty())
      return ".";
    if (parent == path)
      break;
    path = parent;
  } while (!fs::is_directory(path, error));
  return path.string();
}

/// Whether this process created `path` or a folder that contains it. Paths are
/// compared as texts, so that a file counts only under the name it was noted
/// with.
static bool isWritten(const std::string &path,
                      const std::set<std::string> &written) {
  for (fs::path each = path;;) {
    if (written.contains(each.string()))
      return true;
    fs::path parent = each.parent_path();
    if (parent.empty() || parent == each)
      return false;
    each = parent;
  }
}

std::vector<std::string> filesRead() {
  if (!isRecording)
    fail("nothing was recorded of the files that were read");
  std::lock_guard<std::mutex> lock(record().mutex);
  std::set<std::string> found;
  std::error_code error;
  for (const std::string &path : record().read)
    if (!isWritten(path, record().written))
      found.insert(fs::exists(path, error) ? path : folderThatTells(path));
  return {found.begin(), found.end()};
}

} // namespace transfold
