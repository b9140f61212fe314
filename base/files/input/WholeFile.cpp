// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Maps regular files, and copies pipes, devices and sockets into anonymous
// memory. Both become a FileMapping, so that readers need not distinguish them.

#include "base/files/input/WholeFile.h"

#include "base/Error.h"
#include "base/NonCopyable.h"
#include "base/files/FilesRead.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace transfold {

namespace {

/// Data from a pipe are held in memory, so there must be a limit.
constexpr size_t mostOfPipe = size_t{1} << 33;

/// Throws the Error of a file that exceeds its limit, in bytes.
[[noreturn]] void tooLarge(const std::string &path, size_t most) {
  fail("{}: has more than {} bytes, which is the most that is read", path,
       most);
}

/// Memory that grows while a pipe is read, whose size is not known in advance.
class Buffer : NonCopyable {
public:
  Buffer() = default;
  ~Buffer() {
    if (start)
      ::munmap(start, room);
  }

  /// Makes room for at least one more byte.
  void grow(const std::string &path) {
    if (used < room)
      return;
    // Doubling keeps the number of moves logarithmic. mremap() moves pages by
    // changing the page table, without a copy.
    size_t more = room ? 2 * room : size_t{1} << 20;
    void *moved = start ? ::mremap(start, room, more, MREMAP_MAYMOVE)
                        : ::mmap(nullptr, more, PROT_READ | PROT_WRITE,
                                 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (moved == MAP_FAILED)
      fail("{}: cannot hold what was read: {}", path, std::strerror(errno));
    start = static_cast<uint8_t *>(moved);
    room = more;
  }
  /// The first free byte, and the number of free and of used ones.
  uint8_t *end() { return start + used; }
  size_t free() const { return room - used; }
  size_t size() const { return used; }
  /// Counts bytes that were written to end().
  void add(size_t bytes) { used += bytes; }

  /// The data read, without the unused memory after them.
  FileMapping take() {
    if (used == 0)
      return {};
    void *cut = ::mremap(start, room, used, 0);
    if (cut != MAP_FAILED)
      room = used;
    start = nullptr;
    return FileMapping(std::span<const uint8_t>(
        static_cast<const uint8_t *>(cut), std::exchange(used, 0)));
  }

private:
  uint8_t *start = nullptr;
  size_t used = 0, room = 0;
};

/// Reads a pipe to its end into memory. Throws Error if that fails, or if there
/// are more than `most` bytes.
FileMapping readPipe(const std::string &path, size_t most) {
  noteRead(path);
  int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0)
    fail("{}: cannot open the file: {}", path, std::strerror(errno));
  // Closes the file also when an error is thrown.
  struct Closing {
    int file;
    ~Closing() { ::close(file); }
  } closing{file};
  Buffer buffer;
  while (true) {
    buffer.grow(path);
    ssize_t bytes = ::read(file, buffer.end(), buffer.free());
    if (bytes < 0 && errno == EINTR)
      continue;
    if (bytes < 0)
      fail("{}: cannot read the file: {}", path, std::strerror(errno));
    if (bytes == 0)
      return buffer.take();
    buffer.add(static_cast<size_t>(bytes));
    if (buffer.size() > most)
      tooLarge(path, most);
  }
}

} // namespace

FileMapping wholeFile(const std::string &path, size_t most,
                      FileMapping::As use) {
  struct stat status;
  if (::stat(path.c_str(), &status) == 0 &&
      (S_ISFIFO(status.st_mode) || S_ISCHR(status.st_mode) ||
       S_ISSOCK(status.st_mode)))
    return readPipe(path, std::min(most, mostOfPipe));
  FileMapping file(path, use);
  if (file.bytes().size() > most)
    tooLarge(path, most);
  return file;
}

} // namespace transfold
