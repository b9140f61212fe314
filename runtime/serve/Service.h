// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Routing, access control and logging of requests.

#pragma once

#include "runtime/serve/Endpoint.h"
#include "runtime/serve/http/ApiKeys.h"
#include "runtime/serve/http/HostNames.h"

#include <atomic>
#include <ctime>
#include <functional>
#include <map>
#include <memory>
#include <vector>

namespace transfold::runtime::serve {

/// Options of the service, from the command line.
struct ServiceOptions : EndpointOptions {
  ApiKeys keys;
  HostNames hosts;
  bool hasPage = true; // serve the page at / for browsers
  /// Called with one log line for each request, by any thread; may be empty.
  std::function<void(const std::string &)> tell;
};

/// The API of one program.
class Service {
public:
  using Endpoints = std::vector<std::unique_ptr<Endpoint>>;
  /// Throws Error if there is nothing to serve.
  Service(Endpoints endpoints, ServiceOptions options);

  /// Answers a request; may be called by any thread.
  HttpReply answer(HttpRequest &request);
  /// One sentence if memory is not sufficient for the requested context; else
  /// empty.
  std::string whyFewer() const;
  /// The body of the reply to data that is not a valid request.
  static std::string unreadable(int status);

  /// Rejects new requests, waits for running ones at most `grace`, and ends the
  /// others. When it returns, all have their answers, as far as their clients
  /// read them.
  void drain(std::chrono::seconds grace);

private:
  struct Route {
    const char *method;
    bool isOpen; // no key is needed
    std::function<HttpReply()> get;
    std::function<HttpReply(Exchange &)> post = {};
    bool takesForm = false; // the body is a form; otherwise JSON
  };

  ServiceOptions options;
  std::time_t begin = std::time(nullptr);
  Endpoints endpoints;
  std::map<std::string, Route> routes;
  RequestMetrics metrics;
  std::atomic<int> active = 0; // number of requests that are being answered
  /// isStopping: new requests are rejected; isEnding: running ones are ended.
  std::atomic<bool> isStopping = false, isEnding = false;
  WorkBudget budget;

  void addRoutes();
  std::string methodsOf(const std::string &path) const;
  /// Throws ApiError if the server does not answer under this name
  /// (HostNames.h).
  void checkHost(const std::string &host) const;
  /// The route of a request. Throws ApiError if it has no key, or if there is
  /// no such path or method.
  const Route &findRoute(const HttpRequest &request, RequestLog &log) const;
  /// Checks a request and runs its route. Throws ApiError.
  HttpReply dispatch(HttpRequest &request, const RequestLogPointer &log);
  /// The same with a log entry; errors become replies.
  HttpReply answerOpen(HttpRequest &request);
  RequestLogPointer startLog(const HttpRequest &request);
  /// Counts and reports a request that has ended.
  void finish(const RequestLog &log, double seconds);
  void checkBody(const HttpRequest &request, const Route &route) const;
  nlohmann::ordered_json describeModel() const;
  HttpReply health() const;
  HttpReply metricsPage() const;
};

} // namespace transfold::runtime::serve
