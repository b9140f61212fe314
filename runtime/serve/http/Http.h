// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// HTTP/1.1 server: one thread waits for all connections and reads their
// requests, others answer complete requests.

#pragma once

#include "base/NonCopyable.h"

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace transfold::runtime::serve {

/// A part of a form (multipart/form-data, RFC 7578).
struct HttpPart {
  std::string name, fileName, content;
};

/// A complete request.
struct HttpRequest {
  std::string method, path, body, authorization, contentType, contentEncoding;
  std::string host, remote;
  /// The header Origin: the site of the page that sends the request; empty if
  /// absent.
  std::string origin = {};
  std::vector<HttpPart> form = {}; // replaces the body
  bool isTooLarge = false;         // if true, the body is incomplete
  /// Whether the client has closed the connection.
  std::function<bool()> isDisconnected;
};

/// The body of a streamed reply, produced part by part on the thread of its
/// request.
class HttpBody {
public:
  virtual ~HttpBody() = default;
  /// Appends new output to `part`, possibly nothing if none is available yet.
  /// Returns false if nothing follows.
  virtual bool next(std::string &part) = 0;
};

/// A reply, with a body or with parts.
struct HttpReply {
  int status = 200;
  std::string contentType = "application/json";
  std::string body;
  std::vector<std::pair<std::string, std::string>> headers = {};
  /// Replaces the body. Destroyed when everything was sent or the client has
  /// disconnected.
  std::shared_ptr<HttpBody> parts = nullptr;
  /// Destroyed when the body was sent, or could not be sent.
  std::shared_ptr<const void> untilSent = nullptr;
};

/// Limits of the server.
struct HttpLimits {
  /// Requests with a body that are answered at the same time.
  size_t threads = 16;
  size_t waiting = 256; // such requests that wait for a thread
  /// At the limit, a new connection replaces an idle one.
  size_t connections = 4096;
  size_t body = 8 << 20;         // maximum number of bytes
  size_t memory = 128 << 20;     // bytes of all bodies and replies together
  size_t parts = 64;             // maximum number of parts of a form
  size_t headers = 64 << 10;     // bytes of all headers of a request
  std::chrono::seconds idle{60}; // between the requests of a connection
  /// Without progress, while a request is received or a reply is sent.
  std::chrono::seconds silence{10};
  std::chrono::seconds request{60}; // until a request must be complete
};

/// An HTTP server with its connections and threads.
class HttpServer : NonCopyable {
public:
  /// Answers a request; called by many threads at once. An exception becomes a
  /// status 500. It may move data out of the request, whose body occupies
  /// memory.
  using Handler = std::function<HttpReply(HttpRequest &)>;
  /// `unreadable` returns the body of the reply to data that is not a valid
  /// request.
  HttpServer(const HttpLimits &limits, Handler handler,
             std::function<std::string(int status)> unreadable);
  ~HttpServer();

  /// Returns the port: a free one if `port` is 0. Throws Error.
  int bind(const std::string &host, int port);
  /// Answers requests until stop() is called by another thread.
  void run();
  void stop();

private:
  class Implementation;
  std::unique_ptr<Implementation> implementation;
};

} // namespace transfold::runtime::serve
