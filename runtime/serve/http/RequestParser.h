// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Parses requests from the bytes of a connection as they arrive. The
// implementation is llhttp, the parser of Node.js, which is strict about where
// a request ends (RFC 9112): a proxy and the server must agree on that, so that
// a client cannot smuggle a request past the proxy.

#pragma once

#include "base/NonCopyable.h"
#include "runtime/serve/http/Http.h"

#include <memory>
#include <string_view>

namespace transfold::runtime::serve {

/// A request, and what it implies for its connection.
struct FramedRequest {
  HttpRequest request;
  bool isLast = false;    // the connection ends after the reply
  bool knowsParts = true; // HTTP/1.1: the reply may be sent in chunks
};

/// The parser of one connection.
class RequestParser : NonCopyable {
public:
  enum class State {
    Empty,  // nothing of the next request was received
    Partly, // it was received in part
    /// All of it was received, or, if it is too large, as much as is read.
    Whole,
    Refused // not a request, or one that this server does not support
  };

  explicit RequestParser(const HttpLimits &limits);
  ~RequestParser();

  /// Parses bytes until the request is complete, and returns how many were
  /// used; none if the request was refused.
  size_t read(std::string_view bytes);
  State state() const;
  /// The status that describes why the request was refused.
  int refusal() const;
  /// Whether the client waits for "100 Continue" before it sends the body; true
  /// only once per request.
  bool takeContinue();
  /// Number of bytes of the body received so far.
  size_t bodySize() const;
  /// Returns the complete request; the parser is ready for the next one.
  FramedRequest take();

private:
  class Reading;
  std::unique_ptr<Reading> reading;
};

} // namespace transfold::runtime::serve
