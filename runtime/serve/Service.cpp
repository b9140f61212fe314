// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/serve/Service.h"

#include "runtime/Error.h"
#include "runtime/serve/api/AudioReplies.h"
#include "runtime/serve/http/HeaderValues.h"
#include "runtime/serve/page/Page.h"

#include <algorithm>
#include <iterator>
#include <thread>
#include <utility>

namespace transfold::runtime::serve {

namespace {

constexpr std::chrono::milliseconds pause{20};
constexpr size_t longestName = 255; // maximum length of a name in a message
/// Limit for the bodies that are parsed, rendered and tokenized at the same
/// time.
constexpr size_t preparedBytes = 4 << 20;
/// Time to tell clients that their answers have ended.
constexpr std::chrono::seconds shutdownGrace{2};

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

/// Clients that tokenize texts with OpenAI's tokenizer would get vectors of
/// other texts.
void refuseTokenIds(const EmbeddingRequest &request) {
  for (const TextOrIds &input : request.inputs)
    if (!std::holds_alternative<std::string>(input))
      throw badRequest(
          "'input' has ids of tokens, which are probably those of another "
          "tokenizer than this model's: send texts (in LangChain: "
          "OpenAIEmbeddings(check_embedding_ctx_length=False)). If they are "
          "this model's, start the server with --allow-token-ids.",
          "input");
}

/// Whether the request comes from a page of this server, or not from a page:
/// "http://127.0.0.1:8080" for the host "127.0.0.1:8080".
bool isOwnPage(std::string_view origin, std::string_view host) {
  size_t scheme = origin.find("://");
  return origin.empty() ||
         (scheme != origin.npos && origin.substr(scheme + 3) == host);
}

} // namespace

Service::Service(const LoadedProgram &program, ThreadPool &pool,
                 ServiceOptions given)
    : options(std::move(given)), budget(preparedBytes) {
  if (Transcriber::canHear(program.metadata()))
    transcriptions.emplace(program, pool, options.limits.parallel,
                           options.limits.waiting);
  else if (generatingTask(program.metadata()))
    completions.emplace(program, pool,
                        Completions::Options{options.model, options.limits,
                                             options.context,
                                             options.deadline});
  if (program.metadata().task("embed")) {
    embeddingSession.emplace(program, pool);
    embeddings.emplace(*embeddingSession, options.limits.waiting);
  }
  if (!completions && !embeddings && !transcriptions)
    fail("this model neither embeds nor continues texts, and does not "
         "transcribe recordings: there is nothing to serve");
  addRoutes();
}

void Service::addRoutes() {
  routes["/health"] = {"GET", true,
                       [this](auto &, auto &, auto *) { return health(); }};
  routes["/metrics"] = {
      "GET", false, [this](auto &, auto &, auto *) { return metricsPage(); }};
  if (options.hasPage)
    routes["/"] = {"GET", true,
                   [](auto &, auto &, auto *) { return pageReply(); }};
  routes["/v1/models"] = {"GET", false, [this](auto &, auto &, auto *) {
                            return replyOf(modelsReply(describeModel()));
                          }};
  routes["/v1/models/" + options.model] = {
      "GET", false,
      [this](auto &, auto &, auto *) { return replyOf(describeModel()); }};
  if (embeddings)
    routes["/v1/embeddings"] = {
        "POST", false,
        [this](HttpRequest &http, const auto &log, Preparation *preparation) {
          return embed(http, log, *preparation);
        }};
  auto hear = [this](bool translates) {
    return [this, translates](HttpRequest &http, const auto &log,
                              Preparation *preparation) {
      return transcribe(http, translates, log, preparation->watch.deadline);
    };
  };
  if (transcriptions)
    routes["/v1/audio/transcriptions"] = {"POST", false, hear(false), true};
  if (transcriptions && transcriptions->translates())
    routes["/v1/audio/translations"] = {"POST", false, hear(true), true};
  if (!completions)
    return;
  auto complete = [this](CompletionRequest (*read)(std::string_view,
                                                   const Look &)) {
    return [this, read](HttpRequest &http, const auto &log,
                        Preparation *preparation) {
      CompletionRequest request = read(http.body, preparation->watch.looks());
      std::string().swap(http.body);
      checkModel(request.model);
      return completions->answer(std::move(request), http.isDisconnected, log,
                                 preparation->watch, preparation->share);
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
                   fmt::format("There is no {} here. Available are {}.",
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

/// The methods of a route, for the header Allow.
std::string Service::methodsOf(const std::string &path) const {
  const std::string method = routes.at(path).method;
  return method == "GET" ? "GET, HEAD" : method;
}

void Service::checkHost(const std::string &host) const {
  if (!options.hosts.allow(host))
    throw ApiError(
        403,
        fmt::format("This server does not answer under the name '{}': a page "
                    "of another site could have chosen it. Use 127.0.0.1 or "
                    "localhost, or start the server with --allow-host NAME.",
                    host.substr(0, longestName)),
        "", "host_not_allowed");
}

/// A page of another site can make a browser send any content type except JSON
/// without permission. Forms are such a type; for them the browser's Origin
/// header is checked.
void Service::checkBody(const HttpRequest &request, const Route &route) const {
  const std::string coding = lowered(request.contentEncoding);
  if (!coding.empty() && coding != "identity")
    throw ApiError(415,
                   fmt::format("A body with Content-Encoding: {} is not "
                               "supported; send it without encoding.",
                               request.contentEncoding.substr(0, longestName)));
  const std::string type = mediaTypeOf(request.contentType);
  if (!route.takesForm) {
    if (type != "application/json")
      throw ApiError(415, "The body must be sent as Content-Type: "
                          "application/json.");
    return;
  }
  if (type != "multipart/form-data")
    throw ApiError(415, "The body must be sent as Content-Type: "
                        "multipart/form-data.");
  if (!isOwnPage(request.origin, request.host))
    throw ApiError(403,
                   "This request is from a page of another site; this server "
                   "answers only its own page.",
                   "", "origin_not_allowed");
}

HttpReply Service::dispatch(HttpRequest &request,
                            const RequestLogPointer &log) {
  checkHost(request.host);
  const Route &route = findRoute(request, *log);
  bool asksOnly = std::string_view(route.method) == "GET";
  if (isStopping && !asksOnly)
    throw serverIsStopping();
  if (request.isTooLarge)
    throw ApiError(413, "The body is larger than this server accepts.", "",
                   "request_too_large");
  if (asksOnly)
    return route.action(request, log, nullptr);
  checkBody(request, route);
  Preparation preparation(Clock::now() + options.deadline,
                          request.isDisconnected, *this, request.body.size());
  return route.action(request, log, &preparation);
}

/// The request counts as active until its answer was sent.
HttpReply Service::answer(HttpRequest &request) {
  ++active;
  std::shared_ptr<const void> open(&active, [this](const void *) { --active; });
  HttpReply reply = answerOpen(request);
  reply.untilSent = std::move(open);
  return reply;
}

HttpReply Service::answerOpen(HttpRequest &request) {
  RequestLogPointer log = startLog(request);
  auto fail = [&](const ApiError &error) {
    log->status = error.status;
    HttpReply reply = replyOf(error);
    if (error.status == 405)
      reply.headers.emplace_back("Allow", methodsOf(request.path));
    return reply;
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
  constexpr std::pair<int, const char *> messages[] = {
      {400, "This is not an HTTP request, or it is incomplete."},
      {408, "The rest of the request did not arrive in time."},
      {414, "The address is too long."},
      {417, "Only 100-continue is supported in Expect."},
      {431, "The header fields are too long."},
      {501, "The method or a coding of this request is not supported."},
      {503, "There are too many requests, or too large ones; try again in a "
            "moment."},
      {505, "This server speaks HTTP/1.1 and HTTP/1.0."}};
  const auto *found =
      std::ranges::find(messages, status, &std::pair<int, const char *>::first);
  return dump(ApiError(status, found == std::end(messages)
                                   ? "Internal server error."
                                   : found->second)
                  .body());
}

void Service::checkModel(const std::string &asked) const {
  if (!asked.empty() && asked != options.model)
    throw ApiError(404,
                   fmt::format("There is no model '{}'; this server has '{}'.",
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
  isEnding = true;
  if (completions)
    completions->stop();
  if (embeddings)
    embeddings->stop();
  if (transcriptions)
    transcriptions->stop();
  waitUntil(Clock::now() + shutdownGrace);
}

//===----------------------------------------------------------------------===//
// Single routes
//===----------------------------------------------------------------------===//

HttpReply Service::embed(HttpRequest &http, const RequestLogPointer &log,
                         Preparation &preparation) {
  EmbeddingRequest request =
      readEmbeddingRequest(http.body, preparation.watch.looks());
  std::string().swap(http.body);
  checkModel(request.model);
  if (!options.allowTokenIds)
    refuseTokenIds(request);
  if (request.dimensions && *request.dimensions != embeddings->dimensions())
    throw badRequest(fmt::format("'dimensions': this model has {}.",
                                 embeddings->dimensions()),
                     "dimensions");
  std::vector<Encoding> texts;
  for (const TextOrIds &input : request.inputs) {
    preparation.watch.look();
    texts.push_back(
        embeddings->encode(input, request.truncate, preparation.watch.looks()));
    log->usage.prompt += texts.back().ids.size();
  }
  request.inputs = {};
  preparation.share.giveBack();
  auto job = embeddings->submit(std::move(texts), preparation.watch.deadline,
                                http.isDisconnected);
  job->wait();
  if (job->error())
    throw ApiError(*job->error());
  return replyOf(embeddingReply(options.model, job->results(), request.asBase64,
                                log->usage.prompt));
}

HttpReply Service::transcribe(const HttpRequest &http, bool translates,
                              const RequestLogPointer &log,
                              Clock::time_point deadline) {
  AudioRequest request = readAudioRequest(http.form);
  checkModel(request.model);
  const AudioRequest::Format format = request.format;
  auto job = transcriptions->submit(std::move(request), translates, deadline,
                                    http.isDisconnected);
  job->wait();
  if (job->error())
    throw ApiError(*job->error());
  log->usage.made = job->result().tokensMade();
  return audioReply(job->result(), format, translates);
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
  text.one("transfold_active_requests", "gauge", "Requests in progress",
           active);
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
             "Tokens of prompts that were reused from other requests",
             real(numbers.totals.reused));
    text.one("transfold_completion_tokens_total", "counter",
             "Tokens that were generated", real(numbers.totals.made));
  }
  if (embeddings) {
    EmbeddingBatcher::Numbers numbers = embeddings->numbers();
    text.one("transfold_waiting_embeddings", "gauge",
             "Embedding requests in the queue", real(numbers.waiting));
    text.one("transfold_embedded_texts_total", "counter", "Texts",
             real(numbers.texts));
    text.one("transfold_embedded_tokens_total", "counter",
             "Tokens of embedding requests", real(numbers.tokens));
    text.one("transfold_embedding_batches_total", "counter",
             "Calls of the model for embedding requests",
             real(numbers.batches));
  }
  if (transcriptions) {
    Transcriptions::Numbers numbers = transcriptions->numbers();
    text.one("transfold_waiting_transcriptions", "gauge",
             "Recordings in the queue", real(numbers.waiting));
    text.one("transfold_running_transcriptions", "gauge",
             "Recordings in progress", real(numbers.running));
    text.one("transfold_heard_seconds_total", "counter",
             "Seconds of recordings", numbers.seconds);
    text.one("transfold_transcription_tokens_total", "counter",
             "Tokens of the texts of recordings", real(numbers.tokens));
  }
  HttpReply reply;
  reply.contentType = "text/plain; version=0.0.4";
  reply.body = text.text();
  return reply;
}

} // namespace transfold::runtime::serve
