// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which request goes where, who may ask, and what is told about it.

#ifndef TRANSFOLD_RUNTIME_SERVE_SERVICE_H
#define TRANSFOLD_RUNTIME_SERVE_SERVICE_H

#include "runtime/serve/ApiKeys.h"
#include "runtime/serve/Completions.h"
#include "runtime/serve/EmbeddingBatcher.h"
#include "runtime/serve/HostNames.h"
#include "runtime/serve/Metrics.h"
#include "runtime/serve/RequestWatch.h"
#include "runtime/serve/Transcriptions.h"
#include "runtime/serve/WorkBudget.h"

#include <atomic>
#include <functional>
#include <optional>

namespace transfold::runtime::serve {

struct ServiceOptions {
  std::string model; // its name for clients
  ApiKeys keys;
  HostNames hosts;
  Scheduler::Limits limits;
  int64_t context = INT32_MAX;
  std::chrono::seconds deadline{600};
  bool hasPage = true;        // at /, for browsers
  bool allowTokenIds = false; // in texts to embed
  /// Told of each request in a line; may be empty. For any thread.
  std::function<void(const std::string &)> tell;
};

class Service {
public:
  /// Throws Error where there is nothing to serve.
  Service(const LoadedProgram &program, ThreadPool &pool,
          ServiceOptions options);

  /// For any thread.
  HttpReply answer(HttpRequest &request);
  /// What there is no memory for, in a sentence; empty where there is enough.
  std::string whyFewer() const {
    return completions ? completions->whyFewer() : "";
  }
  /// The body of an answer to what is no request.
  static std::string unreadable(int status);

  /// Takes no more requests, waits for those that are there, but no longer than
  /// that, and ends the others. They have their answers when it returns, as far
  /// as their clients read.
  void drain(std::chrono::seconds grace);

private:
  /// Of requests that have a body: who waits for them, and what they may hold
  /// until the model has them.
  struct Preparation {
    Preparation(Clock::time_point deadline, std::function<bool()> isGone,
                Service &service, size_t bytes)
        : watch(deadline, std::move(isGone), service.isEnding),
          share(service.budget, bytes, watch) {}
    RequestWatch watch;
    WorkBudget::Share share;
  };
  /// Those that only ask have no preparation.
  using Action = std::function<HttpReply(
      HttpRequest &, const RequestLogPointer &, Preparation *)>;
  struct Route {
    const char *method;
    bool isOpen; // to those without a key
    Action action;
    bool takesForm = false; // else JSON
  };

  ServiceOptions options;
  std::time_t begin = std::time(nullptr);
  std::optional<Completions> completions;
  std::optional<Session> embeddingSession;
  std::optional<EmbeddingBatcher> embeddings;
  std::optional<Transcriptions> transcriptions;
  std::map<std::string, Route> routes;
  RequestMetrics metrics;
  std::atomic<int> active = 0; // requests
  /// Takes no more requests, and ends those that are there.
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
