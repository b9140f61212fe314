// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// All connections, and the one thread that waits for them. It reads requests
// and hands on those that are whole, so that a connection costs no other thread
// before: who sends a byte now and then keeps nobody waiting.

#ifndef TRANSFOLD_RUNTIME_SERVE_HTTP_CONNECTIONS_H
#define TRANSFOLD_RUNTIME_SERVE_HTTP_CONNECTIONS_H

#include "runtime/serve/http/Connection.h"

#include <functional>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <vector>

namespace transfold::runtime::serve {

class Connections {
public:
  /// `answer` takes a whole request to another thread, which sends what can be
  /// sent and says finish(); false where there is none. `unreadable` makes the
  /// body of an answer to what is no request.
  using Answer = std::function<bool(Connection &, FramedRequest)>;
  using Unreadable = std::function<std::string(int status)>;
  /// Throws Error.
  Connections(const HttpLimits &limits, Answer answer, Unreadable unreadable);

  /// Until stop(); then nobody has any of them.
  void run(Descriptor listener);

  // For any thread.
  void stop();
  const std::atomic<bool> &isStopped() const { return stopped; }
  /// The request was answered. `isOver`: the connection cannot be used.
  void finish(Connection &connection, bool isOver);

private:
  HttpLimits limits;
  Answer answer;
  Unreadable unreadable;
  std::atomic<bool> stopped = false;
  Descriptor poller, waker, listener;
  std::mutex mutex; // of what follows
  std::vector<std::pair<Connection *, bool>> finished;

  // Of the thread that waits.
  std::unordered_map<const Connection *, std::unique_ptr<Connection>> all;
  std::unordered_map<std::string, size_t> owners; // how many each has
  std::vector<const Connection *> over;
  std::vector<char> buffer;
  size_t answering = 0, held = 0;
  Clock::time_point nextSweep;
  bool isListening = false;

  void wait();
  void happens(void *place);
  void watch(Connection &connection, uint32_t events, int action);
  void listenAgain(bool isWanted);
  void accept();
  bool makeRoom();
  void readFrom(Connection &connection);
  void feed(Connection &connection, std::string_view bytes);
  void begin(Connection &connection);
  void refuse(Connection &connection, int status);
  void send(Connection &connection);
  void sentAll(Connection &connection);
  void leave(Connection &connection);
  void discard(Connection &connection);
  void takeFinished();
  void sweep();
  void hold(Connection &connection, size_t bytes);
  void balance();
  void close(Connection &connection);
  void closeAll();
};

} // namespace transfold::runtime::serve

#endif // TRANSFOLD_RUNTIME_SERVE_HTTP_CONNECTIONS_H
