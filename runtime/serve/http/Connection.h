// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A connection: its requests one after the other, each with its reply. It
// belongs to the thread that waits for all connections, or, while a request is
// answered, to the thread that answers it.

#pragma once

#include "runtime/serve/http/RequestParser.h"
#include "runtime/serve/http/Socket.h"

#include <atomic>
#include <chrono>
#include <memory>
#include <string>

namespace transfold::runtime::serve {

using Clock = std::chrono::steady_clock;

/// The state of one connection.
struct Connection {
  enum class State {
    Reading,   // waits for the next request, or receives it
    Answering, // another thread has the request
    Sending,   // a reply is being sent, as fast as the client reads
    /// Everything was sent; waits until the client closes the connection.
    Leaving,
    Over // to be removed
  };

  Connection(Accepted accepted, const HttpLimits &limits);

  // Used by the thread that waits for all connections.
  Descriptor socket;
  Peer peer;
  RequestParser parser;
  State state = State::Reading;
  std::string rest; // bytes received after a complete request
  Clock::time_point since = Clock::now(); // start of the idle time
  /// End of the idle time, or of the time without progress.
  Clock::time_point deadline;
  /// Latest end of the request that is being received.
  Clock::time_point end;
  /// Bytes counted in the memory of all connections.
  size_t held = 0;

  // Used by the thread that answers.
  bool isLast = false; // the connection ends with this reply
  std::string head, body;
  size_t sent = 0; // bytes sent of head and body together
  std::shared_ptr<const void> untilSent;

  size_t unsent() const { return head.size() + body.size() - sent; }
  /// Sends as much as possible without blocking; false if the connection is
  /// broken.
  bool flush();
  /// Sends all of `text`, blocking at most as long as the limits allow; false
  /// if that fails.
  bool sendAll(std::string_view text, const HttpLimits &limits,
               const std::atomic<bool> &isStopped) const;
};

} // namespace transfold::runtime::serve
