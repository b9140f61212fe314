// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// HTTP/1.1 on a socket: one thread waits for all connections and reads their
// requests, others answer those that are whole. The rooms of it are in http/.

#ifndef TRANSFOLD_RUNTIME_SERVE_HTTP_H
#define TRANSFOLD_RUNTIME_SERVE_HTTP_H

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

struct HttpRequest {
  std::string method, path, body, authorization, contentType, contentEncoding;
  std::string host, remote;
  /// Which page of a browser asks; empty where none does.
  std::string origin = {};
  std::vector<HttpPart> form = {}; // instead of the body
  bool isTooLarge = false;         // then the body is not all there
  /// Whether the client has closed the connection.
  std::function<bool()> isGone;
};

/// Parts of an answer that come one by one, on the thread of its request.
class HttpBody {
public:
  virtual ~HttpBody() = default;
  /// Adds what is new to `part`, maybe nothing where it takes a while. Returns
  /// false where nothing follows.
  virtual bool next(std::string &part) = 0;
};

struct HttpReply {
  int status = 200;
  std::string contentType = "application/json";
  std::string body;
  std::vector<std::pair<std::string, std::string>> headers = {};
  /// Instead of the body. It is destroyed when all was sent, or the client has
  /// gone.
  std::shared_ptr<HttpBody> parts = nullptr;
  /// Destroyed when the body was sent, or could not be.
  std::shared_ptr<const void> untilSent = nullptr;
};

struct HttpLimits {
  size_t threads = 16;       // requests with a body that are answered at once
  size_t waiting = 256;      // such requests that wait for a thread
  size_t connections = 4096; // a new one takes the place of an idle one
  size_t body = 8 << 20;     // bytes
  size_t memory = 128 << 20; // bytes of bodies and answers, all together
  size_t parts = 64;         // of a form
  size_t headers = 64 << 10; // bytes of a request's all together
  std::chrono::seconds idle{60};    // between the requests of a connection
  std::chrono::seconds silence{10}; // while a request comes, or an answer goes
  std::chrono::seconds request{60}; // until all of a request has come
};

class HttpServer {
public:
  /// For many threads at once; what it throws becomes a status 500. It may take
  /// what it needs out of the request, whose body is memory.
  using Handler = std::function<HttpReply(HttpRequest &)>;
  /// `unreadable` makes the body of an answer to what is no request.
  HttpServer(const HttpLimits &limits, Handler handler,
             std::function<std::string(int status)> unreadable);
  ~HttpServer();
  HttpServer(const HttpServer &) = delete;
  HttpServer &operator=(const HttpServer &) = delete;

  /// Returns the port: one that is free where 0 is given. Throws Error.
  int bind(const std::string &host, int port);
  /// Answers requests until stop() is called from another thread.
  void run();
  void stop();

private:
  class Implementation;
  std::unique_ptr<Implementation> implementation;
};

} // namespace transfold::runtime::serve

#endif // TRANSFOLD_RUNTIME_SERVE_HTTP_H
