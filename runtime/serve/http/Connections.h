// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// All connections, and the one thread that waits for them. It reads requests
// and passes on complete ones, so that an incomplete request occupies no other
// thread: a client that sends slowly does not delay others.

#pragma once

#include "runtime/serve/http/Connection.h"

#include <functional>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <vector>

namespace transfold::runtime::serve {

/// The event loop of the server.
class Connections {
public:
  /// `answer` passes a complete request to another thread, which sends what it
  /// can without blocking and calls finish(); it returns false if no thread is
  /// available. `unreadable` returns the body of the reply to data that is not
  /// a valid request.
  using Answer = std::function<bool(Connection &, FramedRequest)>;
  using Unreadable = std::function<std::string(int status)>;
  /// Throws Error.
  Connections(const HttpLimits &limits, Answer answer, Unreadable unreadable);

  /// Runs the event loop until stop(); when it returns, no other thread uses a
  /// connection.
  void run(Descriptor listener);

  // May be called by any thread.
  void stop();
  const std::atomic<bool> &isStopped() const { return stopped; }
  /// The request was answered. `isOver`: the connection is broken.
  void finish(Connection &connection, bool isOver);

private:
  HttpLimits limits;
  Answer answer;
  Unreadable unreadable;
  std::atomic<bool> stopped = false;
  Descriptor poller, waker, listener;
  std::mutex mutex; // guards `finished`
  std::vector<std::pair<Connection *, bool>> finished;

  // Used by the thread of run().
  std::unordered_map<const Connection *, std::unique_ptr<Connection>> all;
  /// Number of connections of each client.
  std::unordered_map<std::string, size_t> owners;
  std::vector<const Connection *> over;
  std::vector<char> buffer;
  size_t answering = 0, held = 0;
  Clock::time_point nextSweep;
  bool isListening = false;

  /// Waits for events and handles them.
  void wait();
  /// Handles an event of the listening socket, of the waker or of a connection.
  void happens(void *place);
  void watch(Connection &connection, uint32_t events, int action);
  void listenAgain(bool isWanted);
  void accept();
  bool makeRoom();
  void readFrom(Connection &connection);
  /// Passes received bytes to the parser; starts the request if it is complete.
  void feed(Connection &connection, std::string_view bytes);
  /// Passes a complete request to another thread.
  void begin(Connection &connection);
  /// Replies with an error and ends the connection afterwards.
  void refuse(Connection &connection, int status);
  /// Sends what the client accepts now; the rest follows when it accepts more.
  void send(Connection &connection);
  void sentAll(Connection &connection);
  void leave(Connection &connection);
  /// Reads and forgets what the client sends after the last reply.
  void discard(Connection &connection);
  void takeFinished();
  /// Ends connections whose deadline has passed.
  void sweep();
  /// Sets how many bytes a connection counts in `held`.
  void hold(Connection &connection, size_t bytes);
  void balance();
  void close(Connection &connection);
  /// Ends all connections; waits for those that other threads are answering.
  void closeAll();
};

} // namespace transfold::runtime::serve
