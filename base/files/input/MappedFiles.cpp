// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The list of mapped files, and the handler for SIGBUS, which reads it. The
// handler only writes what is already in memory: it must neither allocate nor
// lock.

#include "base/files/input/MappedFiles.h"

#include "base/files/Temporary.h"
#include "base/files/input/MappedFileEntry.h"

#include <algorithm>
#include <csignal>
#include <cstring>
#include <string_view>
#include <unistd.h>

namespace transfold {

namespace {

/// The list, the newest entry first; none is ever removed from it.
std::atomic<MappedFileEntry *> entries = nullptr;
/// The name before messages, copied at the start of the program.
char programInMessages[256] = "";

/// Writes on standard error. A failure has to be ignored: there is no other
/// place to report it.
void write(std::string_view text) {
  [[maybe_unused]] ssize_t ignored =
      ::write(STDERR_FILENO, text.data(), text.size());
}

/// As in all messages, control characters in a name do not reach the terminal.
void writeName(const std::string &name) {
  for (char letter : name) {
    bool isControl = static_cast<unsigned char>(letter) < ' ' || letter == 0x7f;
    write(isControl ? "?" : std::string_view(&letter, 1));
  }
}

/// The mapped file that contains an address, or null.
const MappedFileEntry *entryAt(const void *address) {
  auto *at = static_cast<const uint8_t *>(address);
  for (MappedFileEntry *entry = entries; entry; entry = entry->next)
    if (const uint8_t *begin = entry->begin;
        begin && at >= begin && at < begin + entry->bytes)
      return entry;
  return nullptr;
}

/// Uses only functions that a signal handler may call. The thread cannot
/// continue.
void handle(int signal, siginfo_t *info, void *) {
  const MappedFileEntry *entry = entryAt(info->si_addr);
  removeTemporariesInHandler();
  if (entry) {
    write(programInMessages);
    write(": error: ");
    writeName(entry->path);
    write(": has become shorter while it was read: it was overwritten or "
          "truncated; start again, and replace files by renaming new ones "
          "(mv), not by writing into them (cp)\n");
    ::_exit(1);
  }
  // If the address is not in one of our files, returning repeats the access,
  // which ends the process as if there were no handler.
  std::signal(signal, SIG_DFL);
}

} // namespace

void tellOfShortenedFiles(const std::string &program) {
  size_t length = std::min(program.size(), sizeof programInMessages - 1);
  std::memcpy(programInMessages, program.data(), length);
  programInMessages[length] = 0;
  struct sigaction action = {};
  action.sa_sigaction = handle;
  action.sa_flags = SA_SIGINFO;
  ::sigemptyset(&action.sa_mask);
  ::sigaction(SIGBUS, &action, nullptr);
}

std::optional<std::string> changedFile() {
  for (MappedFileEntry *entry = entries; entry; entry = entry->next)
    if (entry->used && entry->isChanged())
      return entry->path;
  return std::nullopt;
}

MappedFileEntry *MappedFileEntry::add() {
  for (MappedFileEntry *entry = entries; entry; entry = entry->next)
    if (!entry->used.exchange(true))
      return entry;
  auto *added = new MappedFileEntry; // never freed
  added->used = true;
  added->next = entries;
  while (!entries.compare_exchange_weak(added->next, added)) {
  }
  return added;
}

void MappedFileEntry::open(const std::string &name, int opened,
                           const struct stat &status, const uint8_t *at) {
  std::lock_guard lock(mutex);
  path = name;
  descriptor = opened;
  size = status.st_size;
  written = status.st_mtim;
  bytes = static_cast<size_t>(status.st_size);
  begin = at;
}

void MappedFileEntry::close() {
  std::lock_guard lock(mutex);
  begin = nullptr;
  if (descriptor >= 0)
    ::close(descriptor);
  descriptor = -1;
  used = false;
}

bool MappedFileEntry::isChanged() {
  std::lock_guard lock(mutex);
  struct stat now;
  return descriptor >= 0 && ::fstat(descriptor, &now) == 0 &&
         (now.st_size != size || now.st_mtim.tv_sec != written.tv_sec ||
          now.st_mtim.tv_nsec != written.tv_nsec);
}

void MappedFileEntry::accept() {
  std::lock_guard lock(mutex);
  struct stat now;
  if (descriptor >= 0 && ::fstat(descriptor, &now) == 0)
    written = now.st_mtim;
}

} // namespace transfold
