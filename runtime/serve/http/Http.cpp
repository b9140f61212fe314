// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Joins the event loop with the threads that answer. Requests without a body
// have threads of their own, so that the state of the server can be queried at
// any time.

#include "runtime/serve/http/Http.h"

#include "runtime/serve/http/Connections.h"
#include "runtime/serve/http/Form.h"
#include "runtime/serve/http/HeaderValues.h"
#include "runtime/serve/http/ReplyText.h"
#include "runtime/serve/http/Workers.h"

#include <utility>

namespace transfold::runtime::serve {

namespace {

/// Number of threads for requests without a body, which do not block: the state
/// of the server can be queried even if all other threads are busy. Shared by
/// all connections.
constexpr size_t quickThreads = 2;

constexpr const char *formType = "multipart/form-data";

} // namespace

class HttpServer::Implementation {
public:
  Implementation(const HttpLimits &limits, Handler handler,
                 std::function<std::string(int)> unreadable)
      : limits(limits), handler(std::move(handler)), unreadable(unreadable),
        connections(
            limits,
            [this](Connection &connection, FramedRequest framed) {
              return dispatch(connection, std::move(framed));
            },
            std::move(unreadable)),
        slow(limits.threads), quick(quickThreads) {}

  const HttpLimits limits;
  const Handler handler;
  const std::function<std::string(int)> unreadable;
  Connections connections;
  Descriptor listener;

private:
  Workers slow, quick; // destroyed first

  /// Queues a request for a thread; false if too many are waiting.
  bool dispatch(Connection &connection, FramedRequest framed) {
    const bool hasBody = !framed.request.body.empty();
    auto shared = std::make_shared<FramedRequest>(std::move(framed));
    return (hasBody ? slow : quick)
        .add([this, &connection,
              shared = std::move(shared)] { answer(connection, *shared); },
             hasBody ? limits.waiting : limits.connections);
  }

  /// Returns a reply in every case, even if the handler throws.
  HttpReply replyTo(HttpRequest &request, bool &isLast) const {
    auto cutOff = [&](int status) {
      isLast = true;
      HttpReply reply;
      reply.status = status;
      reply.body = unreadable(status);
      return reply;
    };
    try {
      if (mediaTypeOf(request.contentType) == formType) {
        auto form = readForm(request.body, request.contentType, limits.parts);
        if (!form && !request.isTooLarge)
          return cutOff(400);
        request.form = std::move(form).value_or(std::vector<HttpPart>());
        std::string().swap(request.body);
      }
      return handler(request);
    } catch (...) {
      // The handler catches the errors it knows; other messages are not for
      // clients.
      return cutOff(500);
    }
  }

  /// Answers a request and sends the reply, or the part of it that the client
  /// accepts.
  void answer(Connection &connection, FramedRequest &framed) {
    HttpReply reply = replyTo(framed.request, connection.isLast);
    // A reply without a length ends with its connection.
    connection.isLast |= reply.parts && !framed.knowsParts;
    connection.head =
        headOf(reply, connection.isLast, framed.knowsParts, limits.idle);
    connection.untilSent = std::move(reply.untilSent);
    bool isSent = true;
    if (reply.parts) {
      isSent = sendParts(connection, *reply.parts, framed.knowsParts);
      reply.parts.reset();
      connection.untilSent.reset();
    } else {
      if (framed.request.method != "HEAD")
        connection.body = std::move(reply.body);
      isSent = connection.flush();
    }
    framed = {};
    connections.finish(connection, !isSent);
  }

  /// The first part is sent together with the head, so that the client wakes up
  /// once.
  bool sendParts(Connection &connection, HttpBody &parts, bool inChunks) const {
    std::string text = std::exchange(connection.head, {}), part;
    for (bool goesOn = true; goesOn;) {
      part.clear();
      try {
        goesOn = parts.next(part);
      } catch (...) { // the reply has begun and can only be aborted
        return false;
      }
      if (!part.empty())
        text += inChunks ? chunkOf(part) : part;
      if (!goesOn && inChunks)
        text += chunkOf("");
      if (!connection.sendAll(text, limits, connections.isStopped()))
        return false;
      text.clear();
    }
    return true;
  }
};

HttpServer::HttpServer(const HttpLimits &limits, Handler handler,
                       std::function<std::string(int)> unreadable)
    : implementation(std::make_unique<Implementation>(
          limits, std::move(handler), std::move(unreadable))) {}

HttpServer::~HttpServer() = default;

int HttpServer::bind(const std::string &host, int port) {
  implementation->listener = listenOn(host, port);
  return port;
}

void HttpServer::run() {
  implementation->connections.run(std::move(implementation->listener));
}

void HttpServer::stop() { implementation->connections.stop(); }

} // namespace transfold::runtime::serve
