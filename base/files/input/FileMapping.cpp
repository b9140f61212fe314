// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Opens, maps and registers files. A mapping keeps the content of a file alive,
// so that its descriptor is closed at once unless changes will be looked for.

#include "base/files/input/FileMapping.h"

#include "base/Error.h"
#include "base/files/FilesRead.h"
#include "base/files/GuardedFiles.h"
#include "base/files/input/MappedFileEntry.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace transfold {

FileMapping::FileMapping(const std::string &path, As use, Watch watch) {
  noteRead(path);
  // Without O_NONBLOCK, opening a pipe instead of a file would wait for a
  // writer.
  int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (file < 0)
    fail("{}: cannot open the file: {}", path, std::strerror(errno));
  struct stat status;
  void *start = nullptr;
  int problem = 0;
  bool regular = false;
  if (::fstat(file, &status) != 0)
    problem = errno;
  else if ((regular = S_ISREG(status.st_mode)) && status.st_size > 0) {
    start = ::mmap(nullptr, static_cast<size_t>(status.st_size), PROT_READ,
                   MAP_PRIVATE, file, 0);
    if (start == MAP_FAILED)
      problem = errno;
  }
  // The file is identified by its descriptor: another one may already have its
  // name.
  if (regular && use == As::Input)
    guardInput(file, path);
  const bool isWatched = start && !problem && watch == Watch::Yes;
  if (!isWatched)
    ::close(file);
  if (problem)
    fail("{}: cannot map the file: {}", path, std::strerror(problem));
  if (!regular)
    fail("{}: is not a regular file", path);
  // mmap() refuses a length of 0.
  if (!start)
    return;
  content = {static_cast<const uint8_t *>(start),
             static_cast<size_t>(status.st_size)};
  entry = MappedFileEntry::add();
  entry->open(path, isWatched ? file : -1, status, content.data());
}

bool FileMapping::isChanged() const { return entry && entry->isChanged(); }

void FileMapping::accept() const {
  if (entry)
    entry->accept();
}

size_t FileMapping::bytesThere() const {
  struct stat now;
  return entry && ::fstat(entry->descriptor, &now) == 0
             ? static_cast<size_t>(now.st_size)
             : content.size();
}

FileMapping::~FileMapping() {
  // Before munmap(), after which other memory may get these addresses: the
  // handler must not take it for the file.
  if (entry)
    entry->close();
  if (!content.empty())
    ::munmap(const_cast<uint8_t *>(content.data()), content.size());
}

} // namespace transfold
