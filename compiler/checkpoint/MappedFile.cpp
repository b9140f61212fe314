// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/checkpoint/MappedFile.h"

#include "compiler/checkpoint/Checkpoint.h"
#include "runtime/files/FilesRead.h"
#include "runtime/files/GuardedFiles.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace transfold::checkpoint {

namespace {

[[noreturn]] void failed(const std::string &path, const char *action) {
  throw CheckpointError(
      fmt::format("{}: cannot {}: {}", path, action, std::strerror(errno)));
}

/// Closes a descriptor on every way out.
struct Descriptor {
  int number;
  ~Descriptor() {
    if (number >= 0)
      ::close(number);
  }
};

} // namespace

std::shared_ptr<const MappedFile> MappedFile::open(const std::string &path) {
  runtime::noteRead(path);
  // Without O_NONBLOCK a pipe in the place of a file would wait for a writer.
  Descriptor file{::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)};
  if (file.number < 0)
    failed(path, "open the file");
  struct stat status;
  if (::fstat(file.number, &status) != 0)
    failed(path, "read the file's size");
  if (!S_ISREG(status.st_mode))
    throw CheckpointError(fmt::format("{}: is not a regular file", path));
  runtime::guardInput(file.number, path);

  std::span<const std::byte> bytes;
  if (status.st_size > 0) { // an empty mapping is an error of mmap
    size_t size = static_cast<size_t>(status.st_size);
    void *start = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file.number, 0);
    if (start == MAP_FAILED)
      failed(path, "map the file");
    bytes = {static_cast<const std::byte *>(start), size};
  }
  return std::shared_ptr<const MappedFile>(new MappedFile(path, bytes));
}

MappedFile::~MappedFile() {
  if (!content.empty())
    ::munmap(const_cast<std::byte *>(content.data()), content.size());
}

} // namespace transfold::checkpoint
