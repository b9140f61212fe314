// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/OutputFile.h"

#include "runtime/Error.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <unistd.h>

namespace transfold::runtime {

OutputFile::OutputFile(const std::string &path)
    : path(path), temporary(fmt::format("{}.{}.part", path, ::getpid())) {
  descriptor =
      ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (descriptor < 0)
    failed();
}

OutputFile::~OutputFile() {
  if (descriptor < 0)
    return;
  ::close(descriptor);
  ::unlink(temporary.c_str());
}

void OutputFile::failed() {
  fail("{}: cannot write the file: {}", path, std::strerror(errno));
}

void OutputFile::write(std::string_view bytes) {
  while (!bytes.empty()) {
    ssize_t written = ::write(descriptor, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR)
      continue;
    if (written < 0)
      failed();
    bytes.remove_prefix(static_cast<size_t>(written));
  }
}

void OutputFile::commit() {
  int closed = ::close(descriptor);
  descriptor = -1;
  if (closed != 0 || ::rename(temporary.c_str(), path.c_str()) != 0) {
    int problem = errno;
    ::unlink(temporary.c_str());
    errno = problem;
    failed();
  }
}

void print(std::string_view text) {
  if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size())
    fail("cannot write to standard output: {}", std::strerror(errno));
}

void flushPrinted() {
  if (std::fflush(stdout) != 0)
    fail("cannot write to standard output: {}", std::strerror(errno));
}

} // namespace transfold::runtime
