// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The child writes the bytes, or the reason for a failure, to a pipe.

#include "compiler/kernels/build/BuildAlone.h"

#include <llvm/ADT/StringRef.h>

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <exception>
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace llvm;
using namespace transfold;
using namespace transfold::kernels;

Outcome kernels::tryBuild(BuildWork work) {
  Outcome outcome;
  try {
    outcome.bytes = work();
  } catch (const std::exception &error) {
    outcome.refusal = error.what();
  } catch (...) {
    outcome.refusal = "an unknown exception";
  }
  return outcome;
}

// Writes all bytes to `file`; false if that fails.
static bool writeAll(int file, StringRef bytes) {
  while (!bytes.empty()) {
    ssize_t count = ::write(file, bytes.data(), bytes.size());
    if (count < 0 && errno != EINTR)
      return false;
    bytes = bytes.drop_front(std::max<ssize_t>(count, 0));
  }
  return true;
}

// Fills `bytes` from `file`; false if the other end is closed before.
static bool readAll(int file, char *bytes, size_t size) {
  while (size) {
    ssize_t count = ::read(file, bytes, size);
    if (count == 0 || (count < 0 && errno != EINTR))
      return false;
    bytes += std::max<ssize_t>(count, 0);
    size -= std::max<ssize_t>(count, 0);
  }
  return true;
}

Outcome kernels::buildAlone(BuildWork work) {
  struct Header {
    uint64_t bytes, refusal;
  } header;
  int ends[2] = {-1, -1};
  Outcome outcome;
  pid_t child = ::pipe2(ends, O_CLOEXEC) == 0 ? ::fork() : -1;
  if (child < 0) {
    outcome.refusal =
        std::string("cannot start a process for it: ") + std::strerror(errno);
    for (int end : ends) // open if only the process could not be started
      if (end >= 0)
        ::close(end);
    return outcome;
  }
  if (child == 0) {
    // Uses nothing that other threads may have locked: no streams, no exit
    // handlers.
    Outcome made = tryBuild(work);
    header = {made.bytes.size(), made.refusal.size()};
    bool written =
        writeAll(ends[1],
                 {reinterpret_cast<const char *>(&header), sizeof header}) &&
        writeAll(ends[1], made.bytes) && writeAll(ends[1], made.refusal);
    ::_exit(written ? 0 : 1);
  }
  ::close(ends[1]);
  bool whole =
      readAll(ends[0], reinterpret_cast<char *>(&header), sizeof header);
  if (whole) {
    outcome.bytes.resize(header.bytes);
    outcome.refusal.resize(header.refusal);
    whole = readAll(ends[0], outcome.bytes.data(), header.bytes) &&
            readAll(ends[0], outcome.refusal.data(), header.refusal);
  }
  ::close(ends[0]);
  while (::waitpid(child, nullptr, 0) < 0 && errno == EINTR)
    ;
  if (!whole)
    outcome.refusal = "its compilation crashed";
  return outcome;
}
