// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The order of the checks matters: the name of the host, then the key, then the
// path and the method, and only then the body, so that a client without a key
// does not learn which paths exist.

#include "runtime/serve/Service.h"

#include "base/Error.h"
#include "runtime/serve/api/Replies.h"
#include "runtime/serve/http/HeaderValues.h"
#include "runtime/serve/page/Page.h"

#include <algorithm>
#include <iterator>
#include <thread>
#include <utility>

namespace transfold::runtime::serve {

namespace {

/// Interval of the checks whether all requests have ended.
constexpr std::chrono::milliseconds stopPause{20};
constexpr size_t longestName = 255; // maximum length of a name in a message
/// Limit for the bodies that are parsed, rendered and tokenized at the same
/// time.
constexpr size_t preparedBytes = 4 << 20;
/// Time to tell clients that their answers have ended.
constexpr std::chrono::seconds shutdownGrace{2};

HttpReply replyOf(const ApiError &error) {
  HttpReply reply = jsonReply(error.body());
  reply.status = error.status;
  if (error.status == 429 || error.status == 503)
    reply.headers.emplace_back("Retry-After", "1");
  if (error.status == 401)
    reply.headers.emplace_back("WWW-Authenticate", "Bearer");
  return reply;
}

/// Whether the request comes from a page of this server, or not from a page:
/// "http://127.0.0.1:8080" for the host "127.0.0.1:8080".
bool isOwnPage(std::string_view origin, std::string_view host) {
  size_t scheme = origin.find("://");
  return origin.empty() ||
         (scheme != origin.npos && origin.substr(scheme + 3) == host);
}

} // namespace

Service::Service(Endpoints given, ServiceOptions options)
    : options(std::move(options)), endpoints(std::move(given)),
      budget(preparedBytes) {
  if (endpoints.empty())
    fail("this model neither embeds nor continues texts, and does not "
         "transcribe recordings: there is nothing to serve");
  addRoutes();
}

void Service::addRoutes() {
  routes["/health"] = {"GET", true, [this] { return health(); }};
  routes["/metrics"] = {"GET", false, [this] { return metricsPage(); }};
  if (options.hasPage)
    routes["/"] = {"GET", true, [] { return pageReply(); }};
  routes["/v1/models"] = {
      "GET", false, [this] { return jsonReply(modelsReply(describeModel())); }};
  routes["/v1/models/" + options.model] = {
      "GET", false, [this] { return jsonReply(describeModel()); }};
  for (const auto &endpoint : endpoints)
    for (Endpoint::Route &route : endpoint->routes())
      routes[route.path] = {
          "POST", false, {}, std::move(route.answer), route.takesForm};
}

std::string Service::whyFewer() const {
  for (const auto &endpoint : endpoints)
    if (std::string why = endpoint->whyFewer(); !why.empty())
      return why;
  return "";
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
    return route.get();
  checkBody(request, route);
  RequestWatch watch(Clock::now() + options.deadline, request.isDisconnected,
                     isEnding);
  WorkBudget::Share share(budget, request.body.size(), watch);
  Exchange exchange{request, log, watch, share};
  return route.post(exchange);
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

void Service::drain(std::chrono::seconds grace) {
  isStopping = true;
  auto waitUntil = [this](Clock::time_point end) {
    while (active && Clock::now() < end)
      std::this_thread::sleep_for(stopPause);
  };
  waitUntil(Clock::now() + grace);
  isEnding = true;
  for (const auto &endpoint : endpoints)
    endpoint->stop();
  waitUntil(Clock::now() + shutdownGrace);
}

//===----------------------------------------------------------------------===//
// Single routes
//===----------------------------------------------------------------------===//

nlohmann::ordered_json Service::describeModel() const {
  std::vector<std::string> asked;
  for (const auto &[path, route] : routes)
    if (std::string_view(route.method) == "POST")
      asked.push_back(path);
  return modelReply(options.model, begin, asked);
}

HttpReply Service::health() const {
  HttpReply reply = jsonReply({{"status", isStopping ? "stopping" : "ok"}});
  reply.status = isStopping ? 503 : 200;
  return reply;
}

HttpReply Service::metricsPage() const {
  MetricsText text;
  metrics.write(text);
  text.one("transfold_active_requests", "gauge", "Requests in progress",
           active);
  for (const auto &endpoint : endpoints)
    endpoint->writeMetrics(text);
  HttpReply reply;
  reply.contentType = "text/plain; version=0.0.4";
  reply.body = text.text();
  return reply;
}

} // namespace transfold::runtime::serve
