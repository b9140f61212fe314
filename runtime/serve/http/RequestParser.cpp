// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Collects what llhttp reports piece by piece, within limits: for the head, for
// the body, and for all bytes of a request together.

#include "runtime/serve/http/RequestParser.h"

#include "runtime/serve/http/HeaderValues.h"

#include <llhttp.h>

#include <array>
#include <utility>

namespace transfold::runtime::serve {

namespace {

constexpr size_t longestTarget = 1024;

/// The fields that are evaluated; repeated fields of one name are joined with
/// commas (RFC 9110, 5.3).
enum Field {
  Authorization,
  ContentEncoding,
  ContentType,
  Expect,
  Host,
  Origin,
  TransferEncoding,
  Others
};
constexpr std::array<std::string_view, Others> fieldNames = {
    "authorization", "content-encoding", "content-type",     "expect",
    "host",          "origin",           "transfer-encoding"};

} // namespace

/// The state of llhttp, and the request as far as it was received.
class RequestParser::Reading {
public:
  explicit Reading(const HttpLimits &limits) : limits(limits) { begin(); }
  Reading(const Reading &) = delete; // llhttp has a pointer to it
  Reading &operator=(const Reading &) = delete;

  State state = State::Empty;
  int refusal = 0;
  bool awaitsContinue = false;
  FramedRequest framed;

  void begin() {
    llhttp_init(&parser, HTTP_REQUEST, &callbacks());
    parser.data = this;
    state = State::Empty;
    awaitsContinue = isHeadOver = false;
    bytes = 0;
    framed = {};
    target.clear();
    name.clear();
    for (std::string &value : values)
      value.clear();
    counts = {};
  }

  size_t read(std::string_view given) {
    size_t taken = 0;
    while (taken < given.size() &&
           (state == State::Empty || state == State::Partly)) {
      std::string_view part = given.substr(taken);
      if (!isHeadOver)
        part = part.substr(0, limits.headers + 1 - bytes);
      taken += execute(part);
      if (!isHeadOver && bytes > limits.headers)
        refuse(431);
      else if (isHeadOver && bytes > most())
        cutOff();
    }
    return taken;
  }

private:
  HttpLimits limits;
  llhttp_t parser = {};
  /// Number of bytes of this request.
  size_t bytes = 0;
  bool isHeadOver = false;
  std::string target, name; // as far as received
  std::array<std::string, Others> values;
  std::array<size_t, Others> counts = {};

  /// Limit for the whole request: the number of bytes of a body in tiny chunks,
  /// each with an extension, would otherwise be unlimited.
  size_t most() const { return limits.headers + 4 * limits.body; }

  /// Parses the bytes that belong to this request and returns their number.
  size_t execute(std::string_view part) {
    llhttp_errno_t problem = llhttp_execute(&parser, part.data(), part.size());
    size_t taken =
        problem == HPE_OK
            ? part.size()
            : static_cast<size_t>(llhttp_get_error_pos(&parser) - part.data());
    bytes += taken;
    if (state == State::Partly && problem != HPE_OK)
      refuse(problem == HPE_INVALID_VERSION || problem == HPE_PAUSED_H2_UPGRADE
                 ? 505
                 : 400);
    else if (state == State::Empty && problem != HPE_OK)
      refuse(400);
    return taken;
  }

  /// Refuses the request, unless it was complete before.
  int refuse(int status) {
    if (state == State::Whole || state == State::Refused)
      return HPE_USER;
    state = State::Refused;
    refusal = status;
    return HPE_USER;
  }
  /// A request that is too large is answered without its body, and the
  /// connection ends.
  int cutOff() {
    framed.request.isTooLarge = framed.isLast = true;
    framed.request.body.clear();
    state = State::Whole;
    return HPE_USER;
  }

  //===--------------------------------------------------------------------===//
  // Callbacks of llhttp; a result other than 0 stops the parser
  //===--------------------------------------------------------------------===//

  static const llhttp_settings_t &callbacks() {
    static const llhttp_settings_t settings = [] {
      llhttp_settings_t all;
      llhttp_settings_init(&all);
      all.on_message_begin = call<&Reading::onBegin>;
      all.on_url = call<&Reading::onTarget>;
      all.on_header_field = call<&Reading::onName>;
      all.on_header_value = call<&Reading::onValue>;
      all.on_header_value_complete = call<&Reading::onField>;
      all.on_headers_complete = call<&Reading::onHead>;
      all.on_body = call<&Reading::onBody>;
      all.on_message_complete = call<&Reading::onEnd>;
      return all;
    }();
    return settings;
  }
  template <int (Reading::*function)()> static int call(llhttp_t *parser) {
    return (static_cast<Reading *>(parser->data)->*function)();
  }
  template <int (Reading::*function)(std::string_view)>
  static int call(llhttp_t *parser, const char *text, size_t size) {
    return (static_cast<Reading *>(parser->data)->*function)({text, size});
  }

  int onBegin() {
    state = State::Partly;
    return 0;
  }
  int onTarget(std::string_view part) {
    target += part;
    return target.size() > longestTarget ? refuse(414) : 0;
  }
  int onName(std::string_view part) {
    if (!isHeadOver) // otherwise it is a trailer field, after the last chunk
      name += part;
    return 0;
  }
  int onValue(std::string_view part) {
    if (size_t field = fieldOf(); field != Others)
      values[field] += part;
    return 0;
  }
  int onField() {
    if (size_t field = fieldOf(); field != Others) {
      values[field] = trimmed(values[field]);
      values[field] += ", "; // separates a repeated field
      ++counts[field];
    }
    name.clear();
    return 0;
  }
  /// The field whose name was received; Others if it is not evaluated.
  size_t fieldOf() const {
    if (isHeadOver)
      return Others;
    const std::string small = lowered(name);
    size_t field = 0;
    while (field < Others && fieldNames[field] != small)
      ++field;
    return field;
  }
  /// The value of a field; empty if it is absent.
  std::string value(Field field) {
    std::string &all = values[field];
    return counts[field] ? all.substr(0, all.size() - 2) : "";
  }

  int onHead() {
    isHeadOver = true;
    if (int status = problemOfHead())
      return refuse(status);
    // Upgrades to other protocols are ignored.
    parser.upgrade = 0;
    framed.isLast = !llhttp_should_keep_alive(&parser);
    framed.knowsParts = parser.http_minor == 1;
    HttpRequest &request = framed.request;
    request.method = llhttp_method_name(
        static_cast<llhttp_method_t>(llhttp_get_method(&parser)));
    request.authorization = value(Authorization);
    request.contentType = value(ContentType);
    request.contentEncoding = value(ContentEncoding);
    request.origin = value(Origin);
    if (parser.content_length > limits.body && !(parser.flags & F_CHUNKED))
      return cutOff();
    const bool hasBody =
        (parser.flags & F_CHUNKED) || parser.content_length > 0;
    awaitsContinue = framed.knowsParts && hasBody && counts[Expect];
    return 0;
  }

  /// Checks the head: returns the status if the request is refused, else 0.
  /// Sets path and host of the request.
  int problemOfHead() {
    if (parser.http_major != 1)
      return 505;
    if (parser.method == HTTP_CONNECT)
      return 501;
    auto place = targetOf(target);
    const std::string host = value(Host);
    const bool isNew = parser.http_minor > 0;
    if (!place || counts[Host] > 1 || (isNew && !counts[Host]) || !isHost(host))
      return 400;
    framed.request.path = std::move(place->path);
    framed.request.host = place->host.value_or(host);
    if (counts[TransferEncoding] && !isNew)
      return 400; // RFC 9112, 6.1
    if (counts[TransferEncoding] &&
        lowered(value(TransferEncoding)) != "chunked")
      return (parser.flags & F_CHUNKED) ? 501 : 400;
    if (counts[Expect] && isNew && lowered(value(Expect)) != "100-continue")
      return 417;
    return 0;
  }

  int onBody(std::string_view part) {
    if (framed.request.body.size() + part.size() > limits.body)
      return cutOff();
    framed.request.body += part;
    awaitsContinue = false; // it is already being sent
    return 0;
  }
  int onEnd() {
    awaitsContinue = false;
    state = State::Whole;
    return HPE_PAUSED;
  }
};

RequestParser::RequestParser(const HttpLimits &limits)
    : reading(std::make_unique<Reading>(limits)) {}

RequestParser::~RequestParser() = default;

size_t RequestParser::read(std::string_view bytes) {
  return reading->read(bytes);
}

RequestParser::State RequestParser::state() const { return reading->state; }

int RequestParser::refusal() const { return reading->refusal; }

bool RequestParser::takeContinue() {
  return std::exchange(reading->awaitsContinue, false);
}

size_t RequestParser::bodySize() const {
  return reading->framed.request.body.size();
}

FramedRequest RequestParser::take() {
  FramedRequest result = std::move(reading->framed);
  reading->begin();
  return result;
}

} // namespace transfold::runtime::serve
