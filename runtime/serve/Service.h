// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Routing, access control and logging of requests.

#ifndef TRANSFOLD_RUNTIME_SERVE_SERVICE_H
#define TRANSFOLD_RUNTIME_SERVE_SERVICE_H

#include "runtime/serve/Completions.h"
#include "runtime/serve/engine/EmbeddingBatcher.h"
#include "runtime/serve/engine/Transcriptions.h"
#include "runtime/serve/http/ApiKeys.h"
#include "runtime/serve/http/HostNames.h"
#include "runtime/serve/watch/Metrics.h"
#include "runtime/serve/watch/RequestWatch.h"
#include "runtime/serve/watch/WorkBudget.h"

#include <atomic>
#include <functional>
#include <optional>

namespace transfold::runtime::serve {

/// Options of the service, from the command line.
struct ServiceOptions {
  std::string model; // name of the model for clients
  ApiKeys keys;
  HostNames hosts;
  Scheduler::Limits limits;
  int64_t context = INT32_MAX;
  std::chrono::seconds deadline{600};
  bool hasPage = true;        // serve the page at / for browsers
  bool allowTokenIds = false; // allow token ids as texts to embed
  /// Called with one log line for each request, by any thread; may be empty.
  std::function<void(const std::string &)> tell;
};

/// The API of one program.
class Service {
public:
  /// Throws Error if there is nothing to serve.
  Service(const LoadedProgram &program, ThreadPool &pool,
          ServiceOptions options);

  /// Answers a request; may be called by any thread.
  HttpReply answer(HttpRequest &request);
  /// One sentence if memory is not sufficient for the requested context; else
  /// empty.
  std::string whyFewer() const {
    return completions ? completions->whyFewer() : "";
  }
  /// The body of the reply to data that is not a valid request.
  static std::string unreadable(int status);

  /// Rejects new requests, waits for running ones at most `grace`, and ends the
  /// others. When it returns, all have their answers, as far as their clients
  /// read them.
  void drain(std::chrono::seconds grace);

private:
  /// For requests with a body: the check whether the client still waits, and
  /// the request's share of the memory budget until the model has it.
  struct Preparation {
    Preparation(Clock::time_point deadline,
                std::function<bool()> isDisconnected, Service &service,
                size_t bytes)
        : watch(deadline, std::move(isDisconnected), service.isEnding),
          share(service.budget, bytes, watch) {}
    RequestWatch watch;
    WorkBudget::Share share;
  };
  /// The preparation is null for GET requests.
  using Action = std::function<HttpReply(
      HttpRequest &, const RequestLogPointer &, Preparation *)>;
  struct Route {
    const char *method;
    bool isOpen; // no key is needed
    Action action;
    bool takesForm = false; // the body is a form; otherwise JSON
  };

  ServiceOptions options;
  std::time_t begin = std::time(nullptr);
  std::optional<Completions> completions;
  std::optional<Session> embeddingSession;
  std::optional<EmbeddingBatcher> embeddings;
  std::optional<Transcriptions> transcriptions;
  std::map<std::string, Route> routes;
  RequestMetrics metrics;
  std::atomic<int> active = 0; // number of requests that are being answered
  /// isStopping: new requests are rejected; isEnding: running ones are ended.
  std::atomic<bool> isStopping = false, isEnding = false;
  WorkBudget budget;

  void addRoutes();
  std::string methodsOf(const std::string &path) const;
  void checkHost(const std::string &host) const;
  const Route &findRoute(const HttpRequest &request, RequestLog &log) const;
  HttpReply dispatch(HttpRequest &request, const RequestLogPointer &log);
  HttpReply answerOpen(HttpRequest &request);
  RequestLogPointer startLog(const HttpRequest &request);
  void finish(const RequestLog &log, double seconds);
  void checkBody(const HttpRequest &request, const Route &route) const;
  void checkModel(const std::string &asked) const;
  HttpReply embed(HttpRequest &http, const RequestLogPointer &log,
                  Preparation &preparation);
  HttpReply transcribe(const HttpRequest &http, bool translates,
                       const RequestLogPointer &log,
                       Clock::time_point deadline);
  nlohmann::json describeModel() const;
  HttpReply health() const;
  HttpReply metricsPage() const;
};

} // namespace transfold::runtime::serve

#endif // TRANSFOLD_RUNTIME_SERVE_SERVICE_H
