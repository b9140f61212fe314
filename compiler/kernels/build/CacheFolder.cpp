// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Access to the cache's files relative to open folders, so that another process
// cannot exchange a folder for a link between a check and its use.

#include "compiler/kernels/build/CacheFolder.h"

#include "base/NonCopyable.h"

#include <fmt/format.h>
#include <llvm/ADT/StringExtras.h>
#include <llvm/ADT/StringRef.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <dirent.h>
#include <fcntl.h>
#include <filesystem>
#include <sys/stat.h>
#include <unistd.h>
#include <vector>

using namespace transfold;
using namespace transfold::kernels;
using llvm::StringRef;

namespace {

/// A file descriptor that is closed by the destructor.
class Descriptor : NonCopyable {
public:
  explicit Descriptor(int number) : number(number) {}
  ~Descriptor() {
    if (number >= 0)
      ::close(number);
  }

  explicit operator bool() const { return number >= 0; }
  int operator*() const { return number; }

private:
  int number;
};

constexpr int folderFlags = O_RDONLY | O_DIRECTORY | O_CLOEXEC;

/// The root may be a link, since the user names the folder.
int openRoot(const std::string &root) {
  return ::open(root.c_str(), folderFlags);
}

// Opens a folder below the root, unless it is a link.
int openFolder(int root, const std::string &name) {
  return ::openat(root, name.c_str(), folderFlags | O_NOFOLLOW);
}

/// Lower case only, as keys are written.
bool isHex(StringRef text) {
  return llvm::all_of(
      text, [](char c) { return llvm::isDigit(c) || (c >= 'a' && c <= 'f'); });
}

/// The first two digits of a key.
bool isFolderName(StringRef name) { return name.size() == 2 && isHex(name); }

constexpr size_t keyDigits = 64;

/// Whether `name` is KEY.o, or the name of such a file that was not completed:
/// KEY.o.….part; earlier compilers named it KEY.o.temp-stream-….
bool isFileName(StringRef folder, StringRef name, bool &isEntry) {
  const StringRef key = name.take_front(keyDigits);
  if (key.size() != keyDigits || !isHex(key) || !key.starts_with(folder))
    return false;
  const StringRef end = name.drop_front(keyDigits);
  isEntry = end == ".o";
  return isEntry || end.starts_with(".o.temp-stream-") ||
         (end.starts_with(".o.") && end.ends_with(".part"));
}

/// The names in an open folder.
std::vector<std::string> namesIn(int folder) {
  std::vector<std::string> names;
  DIR *list = ::fdopendir(::fcntl(folder, F_DUPFD_CLOEXEC, 0));
  if (!list)
    return names;
  ::rewinddir(list);
  while (const dirent *entry = ::readdir(list))
    names.emplace_back(entry->d_name);
  ::closedir(list);
  return names;
}

/// Writes all bytes; false, with errno set, if that fails.
bool writeAll(int file, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t count = ::write(file, bytes.data(), bytes.size());
    if (count < 0 && errno != EINTR)
      return false;
    if (count > 0)
      bytes.remove_prefix(static_cast<size_t>(count));
  }
  return true;
}

/// The first two digits of the key.
std::string folderOf(const std::string &key) { return key.substr(0, 2); }

} // namespace

std::optional<std::string> CacheFolder::read(const std::string &key) const {
  const Descriptor all(openRoot(root));
  const Descriptor folder(all ? openFolder(*all, folderOf(key)) : -1);
  const Descriptor file(
      folder ? ::openat(*folder, (key + ".o").c_str(),
                        O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
             : -1);
  struct stat status;
  // The content is executed: only files of this user, or of root, which can do
  // anything anyway, are trusted.
  if (!file || ::fstat(*file, &status) != 0 || !S_ISREG(status.st_mode) ||
      (status.st_uid != ::geteuid() && status.st_uid != 0))
    return std::nullopt;
  std::string bytes(static_cast<size_t>(status.st_size), '\0');
  size_t done = 0;
  while (done < bytes.size()) {
    const ssize_t count =
        ::read(*file, bytes.data() + done, bytes.size() - done);
    if (count < 0 && errno == EINTR)
      continue;
    if (count <= 0)
      return std::nullopt;
    done += static_cast<size_t>(count);
  }
  ::futimens(*file, nullptr);
  return bytes;
}

std::string CacheFolder::write(const std::string &key,
                               std::string_view bytes) const {
  std::error_code error;
  std::filesystem::create_directories(root, error);
  if (error)
    return error.message();
  const Descriptor all(openRoot(root));
  if (all)
    ::mkdirat(*all, folderOf(key).c_str(), 0777);
  const Descriptor folder(all ? openFolder(*all, folderOf(key)) : -1);
  if (!folder)
    return std::strerror(errno);
  // The file appears under its name by renaming, which is atomic: readers see
  // all of it or none. The name of the part is unique among processes and
  // threads.
  static std::atomic<unsigned> number = 0;
  const std::string name = key + ".o", part = fmt::format("{}.{}-{}.part", name,
                                                          ::getpid(), number++);
  const Descriptor file(
      ::openat(*folder, part.c_str(),
               O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666));
  if (file && writeAll(*file, bytes) &&
      ::renameat(*folder, part.c_str(), *folder, name.c_str()) == 0)
    return "";
  const std::string problem = std::strerror(errno);
  if (file)
    ::unlinkat(*folder, part.c_str(), 0);
  return problem;
}

void CacheFolder::forEach(
    const std::function<void(const File &)> &visit) const {
  const Descriptor all(openRoot(root));
  if (!all)
    return;
  for (const std::string &folderName : namesIn(*all)) {
    if (!isFolderName(folderName))
      continue;
    const Descriptor folder(openFolder(*all, folderName));
    if (!folder)
      continue; // a link, or not a folder
    for (const std::string &name : namesIn(*folder)) {
      bool isEntry;
      struct stat status;
      if (isFileName(folderName, name, isEntry) &&
          ::fstatat(*folder, name.c_str(), &status, AT_SYMLINK_NOFOLLOW) == 0 &&
          S_ISREG(status.st_mode))
        visit({folderName, name,
               status.st_mtim.tv_sec * int64_t{1'000'000'000} +
                   status.st_mtim.tv_nsec,
               static_cast<uint64_t>(status.st_size), isEntry});
    }
  }
}

void CacheFolder::remove(const File &file) const {
  const Descriptor all(openRoot(root));
  const Descriptor folder(all ? openFolder(*all, file.folder) : -1);
  if (folder)
    ::unlinkat(*folder, file.name.c_str(), 0);
}

void CacheFolder::removeEmpty() const {
  const Descriptor all(openRoot(root));
  if (!all)
    return;
  for (const std::string &name : namesIn(*all))
    if (isFolderName(name))
      ::unlinkat(*all, name.c_str(), AT_REMOVEDIR);
  ::rmdir(root.c_str());
}
