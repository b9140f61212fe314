// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/files/FilesRead.h"

#include "runtime/Error.h"

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <mutex>
#include <set>

namespace transfold::runtime {

namespace fs = std::filesystem;

namespace {
/// Paths as given: a relative path stays relative.
struct Record {
  std::mutex mutex;
  std::set<std::string> read, written;
};
std::atomic<bool> isRecording = false;

Record &record() {
  static Record own;
  return own;
}
} // namespace

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
    if (parent.empty())
      return ".";
    if (parent == path)
      break;
    path = parent;
  } while (!fs::is_directory(path, error));
  return path.string();
}

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

} // namespace transfold::runtime
