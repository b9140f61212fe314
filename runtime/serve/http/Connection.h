// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A connection: its requests one after the other, each with its answer. It
// belongs to the thread that waits for all of them, and to the one that answers
// its request as long as that takes.

#ifndef TRANSFOLD_RUNTIME_SERVE_HTTP_CONNECTION_H
#define TRANSFOLD_RUNTIME_SERVE_HTTP_CONNECTION_H

#include "runtime/serve/http/RequestParser.h"
#include "runtime/serve/http/Socket.h"

#include <atomic>
#include <chrono>
#include <memory>
#include <string>

namespace transfold::runtime::serve {

using Clock = std::chrono::steady_clock;

struct Connection {
  enum class State {
    Reading,   // the next request comes, or will
    Answering, // another thread has it
    Sending,   // an answer goes, as fast as the client reads it
    Leaving,   // all was sent; the client closes it, too
    Over       // to be forgotten
  };

  Connection(Accepted accepted, const HttpLimits &limits);

  // Of the thread that waits for all.
  Descriptor socket;
  Peer peer;
  RequestParser parser;
  State state = State::Reading;
  std::string rest;                       // what came behind a whole request
  Clock::time_point since = Clock::now(); // it is idle
  Clock::time_point deadline;             // of silence
  Clock::time_point end; // at the latest, of what the client sends
  size_t held = 0;       // bytes that it has of the memory of all

  // Of the thread that answers.
  bool isLast = false; // the answer is
  std::string head, body;
  size_t sent = 0; // of both together
  std::shared_ptr<const void> untilSent;

  size_t unsent() const { return head.size() + body.size() - sent; }
  /// Sends as much as goes without waiting; false where the connection is over.
  bool flush();
  /// Sends all of `text`, in no more time than limits say; false where that is
  /// not possible.
  bool sendAll(std::string_view text, const HttpLimits &limits,
               const std::atomic<bool> &isStopped) const;
};

} // namespace transfold::runtime::serve

#endif // TRANSFOLD_RUNTIME_SERVE_HTTP_CONNECTION_H
