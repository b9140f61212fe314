// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Requests out of the bytes of a connection, as they come. What lies behind it
// is llhttp, the parser of Node.js, which is strict about where a request ends
// (RFC 9112): who asks through a proxy must not be able to say one thing to the
// proxy and another one to the server.

#ifndef TRANSFOLD_RUNTIME_SERVE_HTTP_REQUESTPARSER_H
#define TRANSFOLD_RUNTIME_SERVE_HTTP_REQUESTPARSER_H

#include "runtime/serve/Http.h"

#include <memory>
#include <string_view>

namespace transfold::runtime::serve {

/// A request, and what its connection makes of the answer.
struct FramedRequest {
  HttpRequest request;
  bool isLast = false;    // the connection ends behind it
  bool knowsParts = true; // HTTP/1.1: an answer may come in chunks
};

class RequestParser {
public:
  enum class State {
    Empty,  // nothing has come of the next request
    Partly, // some of it
    Whole,  // all of it, or as much as is read of one that is too large
    Refused // no request, or none that this server reads
  };

  explicit RequestParser(const HttpLimits &limits);
  ~RequestParser();
  RequestParser(const RequestParser &) = delete;
  RequestParser &operator=(const RequestParser &) = delete;

  /// Takes bytes as long as the request is not whole; returns how many it took.
  /// None of one that was refused.
  size_t read(std::string_view bytes);
  State state() const;
  /// The status that says why it was refused.
  int refusal() const;
  /// Whether the client waits for the word that its body may come; only once.
  bool takeContinue();
  /// Bytes of the body that are here.
  size_t bodySize() const;
  /// The whole request; the next one begins.
  FramedRequest take();

private:
  class Reading;
  std::unique_ptr<Reading> reading;
};

} // namespace transfold::runtime::serve

#endif // TRANSFOLD_RUNTIME_SERVE_HTTP_REQUESTPARSER_H
