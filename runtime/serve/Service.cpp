// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/serve/Service.h"

#include "runtime/Error.h"
#include "runtime/serve/Page.h"

#include <thread>
#include <utility>

namespace transfold::runtime::serve {

namespace {

constexpr std::chrono::milliseconds pause{20};
/// For telling clients that their answers have ended.
constexpr std::chrono::seconds lastWords{2};

HttpReply replyOf(const nlohmann::json &body) {
  HttpReply reply;
  reply.body = dump(body);
  return reply;
}

HttpReply replyOf(const ApiError &error) {
  HttpReply reply = replyOf(error.body());
  reply.status = error.status;
  if (error.status == 429 || error.status == 503)
    reply.headers.emplace_back("Retry-After", "1");
  if (error.status == 401)
    reply.headers.emplace_back("WWW-Authenticate", "Bearer");
  return reply;
}

bool isJson(std::string_view contentType) {
  return contentType.substr(0, contentType.find(';')) == "application/json";
}

} // namespace

Service::Service(const LoadedProgram &program, ThreadPool &pool,
                 ServiceOptions given)
    : options(std::move(given)) {
  if (generatingTask(program.metadata()))
    completions.emplace(program, pool,
                        Completions::Options{options.model, options.limits,
                                             options.context,
                                             options.deadline});
  if (program.metadata().task("embed")) {
    embeddingSession.emplace(program, pool);
    embeddings.emplace(*embeddingSession, options.limits.waiting);
  }
  if (!completions && !embeddings)
    fail("this model neither embeds texts nor goes on with them: there is "
         "nothing to serve");
  addRoutes();
}

void Service::addRoutes() {
  routes["/health"] = {"GET", true,
                       [this](const auto &, const auto &) { return health(); }};
  routes["/metrics"] = {"GET", false, [this](const auto &, const auto &) {
                          return metricsPage();
                        }};
  if (options.hasPage)
    routes["/"] = {"GET", true,
                   [](const auto &, const auto &) { return pageReply(); }};
  routes["/v1/models"] = {"GET", false, [this](const auto &, const auto &) {
                            return replyOf(modelsReply(describeModel()));
                          }};
  routes["/v1/models/" + options.model] = {
      "GET", false,
      [this](const auto &, const auto &) { return replyOf(describeModel()); }};
  if (embeddings)
    routes["/v1/embeddings"] = {
        "POST", false, [this](const HttpRequest &http, const auto &log) {
          return embed(http, log);
        }};
  if (!completions)
    return;
  auto complete = [this](CompletionRequest (*read)(std::string_view)) {
    return [this, read](const HttpRequest &http, const auto &log) {
      CompletionRequest request = read(http.body);
      checkModel(request.model);
      return completions->answer(request, http, log);
    };
  };
  routes["/v1/completions"] = {"POST", false, complete(readCompletionRequest)};
  if (completions->canChat())
    routes["/v1/chat/completions"] = {"POST", false, complete(readChatRequest)};
}

//===----------------------------------------------------------------------===//
// All requests
//===----------------------------------------------------------------------===//

RequestLogPointer Service::startLog(const HttpRequest &request) {
  ++active;
  auto log = std::make_shared<RequestLog>(
      [this](const RequestLog &log, double seconds) { finish(log, seconds); });
  log->method = request.method;
  log->remote = request.remote;
  log->route = "other";
  return log;
}

void Service::finish(const RequestLog &log, double seconds) {
  metrics.count(log.route, log.status, seconds);
  if (options.tell)
    options.tell(fmt::format("{} {} {} {} {:.1f} ms, {} + {} tokens, {} reused",
                             log.remote, log.method, log.route, log.status,
                             1e3 * seconds, log.usage.prompt, log.usage.made,
                             log.usage.reused));
  --active;
}

const Service::Route &Service::findRoute(const HttpRequest &request,
                                         RequestLog &log) const {
  auto found = routes.find(request.path);
  bool isKnown = found != routes.end();
  if (isKnown)
    log.route = request.path;
  if (!(isKnown && found->second.isOpen) &&
      !options.keys.allow(request.authorization))
    throw ApiError(401,
                   "A key is needed: the header 'Authorization: Bearer KEY'.",
                   "", "invalid_api_key");
  if (!isKnown)
    throw ApiError(404,
                   fmt::format("There is no {} here. There are {}.",
                               request.path,
                               [&] {
                                 std::string all;
                                 for (const auto &[path, route] : routes)
                                   all += (all.empty() ? "" : ", ") + path;
                                 return all;
                               }()),
                   "", "not_found");
  bool isHead = request.method == "HEAD";
  if ((isHead ? "GET" : request.method) != found->second.method)
    throw ApiError(405,
                   fmt::format("{} takes {}, not {}.", request.path,
                               found->second.method, request.method),
                   "", "method_not_allowed");
  return found->second;
}

void Service::checkHost(const std::string &host) const {
  constexpr size_t longestName = 255;
  if (!options.hosts.allow(host))
    throw ApiError(403,
                   fmt::format("This server does not answer under the name "
                               "'{}': a page of another site could have chosen "
                               "it. Ask 127.0.0.1 or localhost, or start the "
                               "server with --allow-host NAME.",
                               host.substr(0, longestName)),
                   "", "host_not_allowed");
}

HttpReply Service::dispatch(const HttpRequest &request,
                            const RequestLogPointer &log) {
  checkHost(request.host);
  const Route &route = findRoute(request, *log);
  bool asksOnly = std::string_view(route.method) == "GET";
  if (isStopping && !asksOnly)
    throw serverIsStopping();
  if (request.isTooLarge)
    throw ApiError(413, "The body is larger than this server takes.", "",
                   "request_too_large");
  // A page of somebody else in a browser can send any other type unasked.
  if (!asksOnly && !isJson(request.contentType))
    throw ApiError(415, "The body must be sent as Content-Type: "
                        "application/json.");
  return route.action(request, log);
}

HttpReply Service::answer(const HttpRequest &request) {
  RequestLogPointer log = startLog(request);
  auto fail = [&](const ApiError &error) {
    log->status = error.status;
    return replyOf(error);
  };
  try {
    HttpReply reply = dispatch(request, log);
    log->status = reply.status;
    return reply;
  } catch (const ApiError &error) {
    return fail(error);
  } catch (const std::bad_alloc &) {
    return fail(ApiError(500, "There is not enough memory for this request."));
  } catch (const std::exception &error) {
    return fail(ApiError(500, error.what()));
  }
}

std::string Service::unreadable(int status) {
  return dump(ApiError(status, status == 413   ? "The body is too large."
                               : status == 414 ? "The address is too long."
                               : status < 500  ? "This is no HTTP request, or "
                                                 "not all of it came."
                                               : "Something went wrong here.")
                  .body());
}

void Service::checkModel(const std::string &asked) const {
  if (!asked.empty() && asked != options.model)
    throw ApiError(404,
                   fmt::format("There is no model '{}' here; there is '{}'.",
                               asked, options.model),
                   "model", "model_not_found");
}

void Service::drain(std::chrono::seconds grace) {
  isStopping = true;
  auto waitUntil = [this](Clock::time_point end) {
    while (active && Clock::now() < end)
      std::this_thread::sleep_for(pause);
  };
  waitUntil(Clock::now() + grace);
  if (completions)
    completions->stop();
  if (embeddings)
    embeddings->stop();
  waitUntil(Clock::now() + lastWords);
}

//===----------------------------------------------------------------------===//
// Single routes
//===----------------------------------------------------------------------===//

HttpReply Service::embed(const HttpRequest &http,
                         const RequestLogPointer &log) {
  EmbeddingRequest request = readEmbeddingRequest(http.body);
  checkModel(request.model);
  if (request.dimensions && *request.dimensions != embeddings->dimensions())
    throw badRequest(fmt::format("'dimensions': this model has {}.",
                                 embeddings->dimensions()),
                     "dimensions");
  std::vector<Encoding> texts;
  for (const TextOrIds &input : request.inputs) {
    texts.push_back(embeddings->encode(input, request.truncate));
    log->usage.prompt += texts.back().ids.size();
  }
  auto job = embeddings->submit(std::move(texts),
                                Clock::now() + options.deadline, http.isGone);
  job->wait();
  if (job->error())
    throw ApiError(*job->error());
  return replyOf(embeddingReply(options.model, job->results(), request.asBase64,
                                log->usage.prompt));
}

nlohmann::json Service::describeModel() const {
  std::vector<std::string> asked;
  for (const auto &[path, route] : routes)
    if (std::string_view(route.method) == "POST")
      asked.push_back(path);
  return modelReply(options.model, begin, asked);
}

HttpReply Service::health() const {
  HttpReply reply = replyOf({{"status", isStopping ? "stopping" : "ok"}});
  reply.status = isStopping ? 503 : 200;
  return reply;
}

HttpReply Service::metricsPage() const {
  MetricsText text;
  metrics.write(text);
  text.one("transfold_active_requests", "gauge",
           "Requests that have no full answer yet", active);
  auto real = [](size_t count) { return static_cast<double>(count); };
  if (completions) {
    Scheduler::Numbers numbers = completions->numbers();
    text.one("transfold_waiting_completions", "gauge",
             "Completions in the queue", real(numbers.waiting));
    text.one("transfold_running_completions", "gauge",
             "Completions that share steps", real(numbers.running));
    text.one("transfold_prompt_tokens_total", "counter", "Tokens of prompts",
             real(numbers.totals.prompt));
    text.one("transfold_reused_tokens_total", "counter",
             "Tokens of prompts that were there from others",
             real(numbers.totals.reused));
    text.one("transfold_completion_tokens_total", "counter",
             "Tokens that were made", real(numbers.totals.made));
  }
  if (embeddings) {
    EmbeddingBatcher::Numbers numbers = embeddings->numbers();
    text.one("transfold_waiting_embeddings", "gauge",
             "Embedding requests in the queue", real(numbers.waiting));
    text.one("transfold_embedded_texts_total", "counter", "Texts",
             real(numbers.texts));
    text.one("transfold_embedded_tokens_total", "counter", "Their tokens",
             real(numbers.tokens));
    text.one("transfold_embedding_batches_total", "counter",
             "Calls of the model for them", real(numbers.batches));
  }
  HttpReply reply;
  reply.contentType = "text/plain; version=0.0.4";
  reply.body = text.text();
  return reply;
}

} // namespace transfold::runtime::serve
