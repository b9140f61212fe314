// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A self-pipe: the handler writes a byte, and the waiting thread reads it.

#include "runtime/commands/cli/StopSignals.h"

#include "base/Error.h"

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <unistd.h>
#include <utility>

namespace transfold::runtime::inline commands {

namespace {

constexpr std::array stopping = {SIGTERM, SIGINT};
/// The previous handlers of the signals: they remove temporary files, and end
/// the program.
std::array<void (*)(int), stopping.size()> usualHandlers = {};
/// A pipe, since a handler may do little more than write to it.
std::array<int, 2> channel = {-1, -1};

/// Restores the previous handlers; may be called by a signal handler.
void restore() {
  for (size_t i = 0; i < stopping.size(); ++i)
    std::signal(stopping[i], usualHandlers[i]);
}

} // namespace

void StopSignals::wake() {
  int before = errno;
  [[maybe_unused]] ssize_t written = ::write(channel[1], "", 1);
  errno = before;
}

StopSignals::StopSignals() {
  if (::pipe(channel.data()) != 0)
    fail("cannot make a pipe: {}", std::strerror(errno));
  for (size_t i = 0; i < stopping.size(); ++i)
    usualHandlers[i] = std::signal(stopping[i], [](int) {
      restore();
      wake();
    });
}

StopSignals::~StopSignals() {
  restore();
  for (int &end : channel)
    ::close(std::exchange(end, -1));
}

void StopSignals::wait() {
  char byte = 0;
  while (::read(channel[0], &byte, 1) < 0 && errno == EINTR) {
  }
}

} // namespace transfold::runtime::inline commands
