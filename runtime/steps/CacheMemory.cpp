// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reserves address space by mmap() without a reservation of swap space, so that
// long sequences are possible whose pages are never all used.

#include "runtime/steps/CacheMemory.h"

#include "base/Error.h"

#include <algorithm>
#include <sys/mman.h>
#include <unistd.h>

namespace transfold::runtime::inline steps {

/// Reserves address space; null if the system refuses.
static uint8_t *map(size_t bytes) {
  void *address = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return address == MAP_FAILED ? nullptr : static_cast<uint8_t *>(address);
}

CacheMemory::CacheMemory(int64_t size)
    : bytes(static_cast<size_t>(std::max<int64_t>(size, 1))) {
  memory = map(bytes);
  if (!memory)
    fail("cannot allocate the caches of a sequence, {} bytes; ask for fewer "
         "tokens (--context of chat and serve, --max-new of other commands), "
         "or allow more memory (ulimit -v)",
         bytes);
}

bool CacheMemory::isThere(int64_t bytes) {
  auto size = static_cast<size_t>(std::max<int64_t>(bytes, 1));
  uint8_t *memory = map(size);
  if (memory)
    ::munmap(memory, size);
  return memory;
}

CacheMemory::~CacheMemory() {
  if (memory)
    ::munmap(memory, bytes);
}

int64_t CacheMemory::pageBytes() {
  static const int64_t bytes = ::sysconf(_SC_PAGESIZE);
  return bytes;
}

void CacheMemory::giveBack(int64_t begin, int64_t end) {
  int64_t page = pageBytes(); // the memory begins at a page boundary
  begin = (begin + page - 1) / page * page;
  end = end / page * page;
#ifdef __linux__
  // On other systems the same name may be a hint without effect. A failure only
  // costs memory.
  if (begin < end)
    (void)::madvise(memory + begin, static_cast<size_t>(end - begin),
                    MADV_DONTNEED);
#endif
}

} // namespace transfold::runtime::inline steps
