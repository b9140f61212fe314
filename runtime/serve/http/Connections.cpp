// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An event loop on epoll. Events are one-shot: a connection that another thread
// is answering causes none, so that the loop never touches it meanwhile.
// Connections that are over are removed only after all events of a round, which
// may refer to them.

#include "runtime/serve/http/Connections.h"

#include "base/Error.h"
#include "runtime/serve/http/ReplyText.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <tuple>
#include <unistd.h>
#include <utility>

namespace transfold::runtime::serve {

namespace {

using State = Connection::State;

constexpr size_t bufferBytes = 64 << 10;
/// Numbers of reads from a connection, and of accepted connections, before
/// others have their turn.
constexpr int mostReads = 16, mostAccepted = 64;
/// Bodies and replies of this size are never refused: the number of connections
/// is limited.
constexpr size_t small = 16 << 10;
/// Interval of the checks for missed deadlines.
constexpr std::chrono::milliseconds sweepEvery{500};

} // namespace

Connections::Connections(const HttpLimits &limits, Answer answer,
                         Unreadable unreadable)
    : limits(limits), answer(std::move(answer)),
      unreadable(std::move(unreadable)), poller(::epoll_create1(EPOLL_CLOEXEC)),
      waker(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)), buffer(bufferBytes) {
  epoll_event event = {EPOLLIN, {.ptr = &waker}};
  if (!poller.isOpen() || !waker.isOpen() ||
      ::epoll_ctl(poller.get(), EPOLL_CTL_ADD, waker.get(), &event))
    fail("cannot wait for connections: {}", std::strerror(errno));
}

//===----------------------------------------------------------------------===//
// Called by other threads
//===----------------------------------------------------------------------===//

void Connections::stop() {
  stopped = true;
  uint64_t one = 1;
  [[maybe_unused]] ssize_t written = ::write(waker.get(), &one, sizeof one);
}

void Connections::finish(Connection &connection, bool isOver) {
  std::lock_guard lock(mutex);
  finished.emplace_back(&connection, isOver);
  uint64_t one = 1;
  [[maybe_unused]] ssize_t written = ::write(waker.get(), &one, sizeof one);
}

//===----------------------------------------------------------------------===//
// The event loop
//===----------------------------------------------------------------------===//

void Connections::run(Descriptor given) {
  listener = std::move(given);
  epoll_event event = {EPOLLIN, {.ptr = &listener}};
  if (::epoll_ctl(poller.get(), EPOLL_CTL_ADD, listener.get(), &event))
    fail("cannot wait for connections: {}", std::strerror(errno));
  isListening = true;
  nextSweep = Clock::now() + sweepEvery;
  while (!stopped)
    wait();
  closeAll();
}

void Connections::wait() {
  std::array<epoll_event, 256> events;
  // Without connections there are no deadlines.
  const int most =
      all.empty() && isListening ? -1 : static_cast<int>(sweepEvery.count());
  int count = ::epoll_wait(poller.get(), events.data(), events.size(), most);
  for (int i = 0; i < count; ++i)
    happens(events[static_cast<size_t>(i)].data.ptr);
  if (Clock::now() >= nextSweep)
    sweep();
  for (const Connection *each : std::exchange(over, {}))
    all.erase(each);
}

void Connections::happens(void *place) {
  if (place == &listener)
    return accept();
  if (place == &waker)
    return takeFinished();
  Connection &connection = *static_cast<Connection *>(place);
  switch (connection.state) {
  case State::Reading:
    return readFrom(connection);
  case State::Sending:
    return send(connection);
  case State::Leaving:
    return discard(connection);
  case State::Answering:
  case State::Over: // since another event was handled
    return;
  }
}

/// Registers the connection for one event (one-shot); must be called again
/// after it.
void Connections::watch(Connection &connection, uint32_t events, int action) {
  epoll_event event = {events | EPOLLONESHOT, {.ptr = &connection}};
  if (::epoll_ctl(poller.get(), action, connection.socket.get(), &event))
    close(connection);
}

void Connections::takeFinished() {
  uint64_t ignored = 0;
  [[maybe_unused]] ssize_t got = ::read(waker.get(), &ignored, sizeof ignored);
  std::vector<std::pair<Connection *, bool>> taken;
  {
    std::lock_guard lock(mutex);
    taken = std::exchange(finished, {});
  }
  for (auto [connection, isOver] : taken) {
    --answering;
    if (isOver || stopped)
      close(*connection);
    else
      send(*connection);
  }
}

void Connections::sweep() {
  const auto now = Clock::now();
  nextSweep = now + sweepEvery;
  for (const auto &[place, connection] : all) {
    if (connection->state == State::Answering ||
        connection->state == State::Over || now < connection->deadline)
      continue;
    if (connection->state == State::Reading &&
        connection->parser.state() == RequestParser::State::Partly)
      refuse(*connection, 408);
    else
      close(*connection);
  }
  listenAgain(true);
}

//===----------------------------------------------------------------------===//
// Accepting connections
//===----------------------------------------------------------------------===//

void Connections::listenAgain(bool isWanted) {
  if (isListening == isWanted)
    return;
  epoll_event event = {isWanted ? uint32_t{EPOLLIN} : 0, {.ptr = &listener}};
  ::epoll_ctl(poller.get(), EPOLL_CTL_MOD, listener.get(), &event);
  isListening = isWanted;
}

void Connections::accept() {
  for (int i = 0; i < mostAccepted; ++i) {
    bool hasNoRoom = false;
    auto accepted = acceptFrom(listener, hasNoRoom);
    if (hasNoRoom && !makeRoom())
      return listenAgain(false); // until some of them are over
    if (!accepted)
      return;
    if (all.size() - over.size() >= limits.connections && !makeRoom())
      continue; // the new connection is closed
    auto connection =
        std::make_unique<Connection>(std::move(*accepted), limits);
    Connection &place = *connection;
    ++owners[place.peer.owner];
    all.emplace(&place, std::move(connection));
    watch(place, EPOLLIN, EPOLL_CTL_ADD);
  }
}

/// Closes a connection that is not being answered: among those of the client
/// that has most connections, so that no client can occupy all, the one that
/// has been inactive for longest. False if there is none.
bool Connections::makeRoom() {
  Connection *victim = nullptr;
  auto rank = [&](const Connection &each) {
    bool isIdle = each.state == State::Leaving ||
                  (each.state == State::Reading &&
                   each.parser.state() == RequestParser::State::Empty);
    return std::tuple(owners[each.peer.owner], isIdle,
                      Clock::time_point::max() - each.since);
  };
  for (const auto &[place, connection] : all)
    if (connection->state != State::Answering &&
        connection->state != State::Over &&
        (!victim || rank(*connection) > rank(*victim)))
      victim = connection.get();
  if (victim)
    close(*victim);
  return victim;
}

//===----------------------------------------------------------------------===//
// Requests
//===----------------------------------------------------------------------===//

void Connections::readFrom(Connection &connection) {
  for (int i = 0; i < mostReads; ++i) {
    auto count = receive(connection.socket, buffer);
    // The client has closed the connection, or its sending direction; requests
    // already received may still be answered.
    if (!count) {
      if (connection.parser.state() == RequestParser::State::Partly)
        return refuse(connection, 400);
      return close(connection);
    }
    feed(connection, {buffer.data(), *count});
    if (connection.state != State::Reading)
      return;
    if (*count < buffer.size())
      break;
  }
  watch(connection, EPOLLIN, EPOLL_CTL_MOD);
}

void Connections::feed(Connection &connection, std::string_view bytes) {
  RequestParser &parser = connection.parser;
  const bool wasEmpty = parser.state() == RequestParser::State::Empty;
  size_t taken = parser.read(bytes);
  const auto now = Clock::now();
  switch (parser.state()) {
  case RequestParser::State::Empty:
    return;
  case RequestParser::State::Refused:
    return refuse(connection, parser.refusal());
  case RequestParser::State::Whole:
    connection.rest = bytes.substr(taken);
    return begin(connection);
  case RequestParser::State::Partly:
    break;
  }
  if (wasEmpty)
    connection.end = now + limits.request;
  if (!bytes.empty())
    connection.deadline = std::min(now + limits.silence, connection.end);
  if (parser.takeContinue() && !sendBytes(connection.socket, continueText))
    return close(connection);
  hold(connection, parser.bodySize());
  balance();
}

void Connections::begin(Connection &connection) {
  FramedRequest framed = connection.parser.take();
  connection.isLast = framed.isLast;
  connection.state = State::Answering;
  hold(connection, framed.request.body.size());
  framed.request.remote = connection.peer.address;
  framed.request.isDisconnected = [socket = connection.socket.get()] {
    return isDisconnected(socket);
  };
  ++answering;
  if (answer(connection, std::move(framed)))
    return;
  --answering;
  refuse(connection, 503);
}

void Connections::refuse(Connection &connection, int status) {
  HttpReply reply;
  reply.status = status;
  reply.body = unreadable(status);
  if (status == 503)
    reply.headers.emplace_back("Retry-After", "1");
  connection.isLast = true;
  connection.rest.clear();
  connection.head = headOf(reply, true, true, limits.idle);
  connection.body = std::move(reply.body);
  send(connection);
}

//===----------------------------------------------------------------------===//
// Replies
//===----------------------------------------------------------------------===//

void Connections::send(Connection &connection) {
  const size_t before = connection.unsent();
  if (!connection.flush())
    return close(connection);
  if (!connection.unsent())
    return sentAll(connection);
  const auto now = Clock::now();
  if (connection.state != State::Sending || connection.unsent() < before)
    connection.deadline = now + limits.silence;
  connection.state = State::Sending;
  hold(connection, connection.unsent());
  watch(connection, EPOLLOUT, EPOLL_CTL_MOD);
  balance();
}

void Connections::sentAll(Connection &connection) {
  hold(connection, 0);
  connection.since = Clock::now();
  if (connection.isLast)
    return leave(connection);
  connection.state = State::Reading;
  connection.deadline = connection.since + limits.idle;
  feed(connection, std::exchange(connection.rest, {}));
  if (connection.state == State::Reading)
    watch(connection, EPOLLIN, EPOLL_CTL_MOD);
}

/// Closes the sending direction only: the client may still be sending, and
/// would lose the reply if its data arrived at a closed socket.
void Connections::leave(Connection &connection) {
  ::shutdown(connection.socket.get(), SHUT_WR);
  connection.state = State::Leaving;
  connection.sent = 0; // from now on: bytes discarded
  connection.end = connection.since + limits.request;
  connection.deadline = connection.since + limits.silence;
  discard(connection);
}

void Connections::discard(Connection &connection) {
  const size_t most = limits.headers + 4 * limits.body;
  for (int i = 0; i < mostReads; ++i) {
    auto count = receive(connection.socket, buffer);
    if (!count || (connection.sent += *count) > most)
      return close(connection);
    if (*count)
      connection.deadline =
          std::min(Clock::now() + limits.silence, connection.end);
    if (*count < buffer.size())
      break;
  }
  watch(connection, EPOLLIN, EPOLL_CTL_MOD);
}

//===----------------------------------------------------------------------===//
// Memory, and shutdown
//===----------------------------------------------------------------------===//

void Connections::hold(Connection &connection, size_t bytes) {
  held += bytes - connection.held;
  connection.held = bytes;
}

/// If the memory of all connections exceeds the limit, the largest request or
/// reply in transit is given up.
void Connections::balance() {
  while (held > limits.memory) {
    Connection *largest = nullptr;
    for (const auto &[place, each] : all)
      if ((each->state == State::Reading || each->state == State::Sending) &&
          each->held > small && (!largest || each->held > largest->held))
        largest = each.get();
    if (!largest)
      return;
    hold(*largest, 0);
    if (largest->state == State::Reading)
      refuse(*largest, 503);
    else
      close(*largest);
  }
}

void Connections::close(Connection &connection) {
  if (connection.state == State::Over)
    return;
  hold(connection, 0);
  if (auto owner = owners.find(connection.peer.owner); --owner->second == 0)
    owners.erase(owner);
  connection.state = State::Over;
  connection.untilSent.reset();
  connection.socket = Descriptor();
  over.push_back(&connection);
}

void Connections::closeAll() {
  listener = Descriptor();
  for (const auto &[place, connection] : all)
    if (connection->state == State::Answering)
      ::shutdown(connection->socket.get(), SHUT_RDWR);
    else
      close(*connection);
  while (answering) {
    epoll_event event;
    ::epoll_wait(poller.get(), &event, 1, -1);
    takeFinished();
  }
  all.clear();
  over.clear();
  owners.clear();
}

} // namespace transfold::runtime::serve
