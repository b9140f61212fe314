// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sends replies: without blocking by the thread that waits for all connections,
// and with a time limit by the thread that generates a stream.

#include "runtime/serve/http/Connection.h"

#include <algorithm>
#include <poll.h>
#include <utility>

namespace transfold::runtime::serve {

Connection::Connection(Accepted accepted, const HttpLimits &limits)
    : socket(std::move(accepted.socket)), peer(std::move(accepted.peer)),
      parser(limits), deadline(since + limits.idle) {}

bool Connection::flush() {
  while (unsent()) {
    std::string_view first = head, second = body;
    first.remove_prefix(std::min(sent, head.size()));
    second.remove_prefix(sent - std::min(sent, head.size()));
    auto count = sendBytes(socket, first, second);
    if (!count)
      return false;
    if (*count == 0)
      return true;
    sent += *count;
  }
  head.clear();
  std::string().swap(body); // also frees its memory
  sent = 0;
  untilSent.reset();
  return true;
}

bool Connection::sendAll(std::string_view text, const HttpLimits &limits,
                         const std::atomic<bool> &isStopped) const {
  constexpr std::chrono::milliseconds slice{100};
  const auto begin = Clock::now();
  auto last = begin;
  while (!text.empty() && !isStopped) {
    auto count = sendBytes(socket, text);
    if (!count)
      return false;
    text.remove_prefix(*count);
    const auto now = Clock::now();
    if (*count)
      last = now;
    else if (now - last > limits.silence || now - begin > limits.request)
      return false;
    if (pollfd waits{socket.get(), POLLOUT, 0}; !text.empty())
      ::poll(&waits, 1, slice.count());
  }
  return text.empty();
}

} // namespace transfold::runtime::serve
