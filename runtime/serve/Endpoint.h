// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A part of the API that serves one kind of task. A server has those that the
// program's tasks need, and others are not linked into it
// (commands/ProgramParts.h).

#pragma once

#include "runtime/kernels/ThreadPool.h"
#include "runtime/program/LoadedProgram.h"
#include "runtime/serve/api/Requests.h"
#include "runtime/serve/http/Http.h"
#include "runtime/serve/watch/Metrics.h"
#include "runtime/serve/watch/RequestLog.h"
#include "runtime/serve/watch/RequestWatch.h"
#include "runtime/serve/watch/WorkBudget.h"

#include <nlohmann/json_fwd.hpp>

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace transfold::runtime::serve {

/// What the endpoints of a server have in common.
struct EndpointOptions {
  std::string model; // name of the model for clients
  /// Requests that are computed together, and that wait; more are refused.
  size_t parallel = 1, waiting = 0;
  int64_t context = INT32_MAX; // tokens; the model's limit may be lower
  std::chrono::seconds deadline{600};
  bool allowTokenIds = false; // allow token ids as texts to embed
};

/// A program and how it is served: what an endpoint is made of.
struct ServedProgram {
  const LoadedProgram &program;
  ThreadPool &pool;
  EndpointOptions options;
};

/// A request with a body, while it is answered.
struct Exchange {
  HttpRequest &http;
  const RequestLogPointer &log;
  RequestWatch &watch;      // whether the client still waits
  WorkBudget::Share &share; // of memory, until the model has the request
};

class Endpoint {
public:
  /// A path that is requested with POST. `answer` is called by many threads at
  /// once; throws ApiError.
  struct Route {
    std::string path;
    std::function<HttpReply(Exchange &)> answer;
    bool takesForm = false; // the body is a form; otherwise JSON
  };

  virtual ~Endpoint() = default;
  /// The endpoint must outlive its routes.
  virtual std::vector<Route> routes() = 0;
  /// Rejects what waits and what is submitted later.
  virtual void stop() = 0;
  virtual void writeMetrics(MetricsText &text) const = 0;
  /// One sentence if memory is not sufficient for the requested context; else
  /// empty.
  virtual std::string whyFewer() const { return ""; }
};

/// Whether the program has a task that can be served.
bool canServe(const Metadata &metadata);

/// Throws ApiError if `asked` is neither empty nor the name of the model.
void checkModel(const std::string &asked, const EndpointOptions &options);

/// Reads the body of a request, whose memory is freed. Throws ApiError, also if
/// the request is for another model.
template <typename Request>
Request takeRequest(Exchange &exchange,
                    Request (*read)(std::string_view, const Look &),
                    const EndpointOptions &options) {
  Request request = read(exchange.http.body, exchange.watch.looks());
  std::string().swap(exchange.http.body);
  checkModel(request.model, options);
  return request;
}

/// A reply with the status 200.
HttpReply jsonReply(const nlohmann::ordered_json &body);

} // namespace transfold::runtime::serve
