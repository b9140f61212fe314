// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Valid and invalid requests: RFC 9110 and 9112. Each text is parsed as a whole
// and byte by byte, which must not make a difference. The first table has the
// cases of h1spec, a public list, rewritten.

#include "runtime/serve/http/RequestParser.h"
#include "runtime/serve/http/Form.h"
#include "runtime/serve/http/HeaderValues.h"

#include <gtest/gtest.h>

#include <span>
#include <string>
#include <utility>

using namespace transfold::runtime::serve;

namespace {

using State = RequestParser::State;

/// The result of parsing a text.
struct Outcome {
  std::vector<FramedRequest> requests; // up to the last one
  State state = State::Empty;          // after them
  int refusal = 0;
};

HttpLimits smallLimits() {
  HttpLimits limits;
  limits.body = 1000;
  limits.headers = 2000;
  return limits;
}

Outcome outcomeOf(std::string_view text, size_t step) {
  RequestParser parser(smallLimits());
  Outcome result;
  while (!text.empty()) {
    size_t taken = parser.read(text.substr(0, step));
    text.remove_prefix(taken);
    if (parser.state() == State::Refused)
      break;
    if (parser.state() == State::Whole) {
      result.requests.push_back(parser.take());
      if (result.requests.back().isLast)
        break;
    } else if (taken == 0) {
      ADD_FAILURE() << "nothing was taken";
      break;
    }
  }
  result.state = parser.state();
  result.refusal = parser.state() == State::Refused ? parser.refusal() : 0;
  return result;
}

/// The result, which must be the same for any split of the text.
Outcome outcomeOf(std::string_view text) {
  Outcome whole = outcomeOf(text, text.size());
  for (size_t step : {1, 7}) {
    Outcome pieces = outcomeOf(text, step);
    EXPECT_EQ(pieces.requests.size(), whole.requests.size()) << text;
    EXPECT_EQ(pieces.state, whole.state) << text;
    EXPECT_EQ(pieces.refusal, whole.refusal) << text;
    for (size_t i = 0;
         i < std::min(pieces.requests.size(), whole.requests.size()); ++i)
      EXPECT_EQ(pieces.requests[i].request.body, whole.requests[i].request.body)
          << text;
  }
  return whole;
}

/// 200 for a request, 0 for an incomplete one, or the status of the refusal.
int statusOf(std::string_view text) {
  Outcome outcome = outcomeOf(text);
  if (outcome.refusal)
    return outcome.refusal;
  return outcome.requests.empty() ? 0 : 200;
}

FramedRequest onlyOf(std::string_view text) {
  Outcome outcome = outcomeOf(text);
  EXPECT_EQ(outcome.requests.size(), 1u) << text;
  return outcome.requests.empty() ? FramedRequest()
                                  : std::move(outcome.requests.front());
}

std::string get(std::string_view fields) {
  return "GET / HTTP/1.1\r\nHost: localhost\r\n" + std::string(fields) + "\r\n";
}
std::string post(std::string_view fields, std::string_view body = "") {
  return "POST / HTTP/1.1\r\nHost: localhost\r\n" + std::string(fields) +
         "\r\n" + std::string(body);
}

TEST(RequestParser, WaitsForTheRest) {
  const std::string whole = "GET /hello HTTP/1.1\r\nHost: localhost\r\n\r\n";
  for (size_t size = 1; size < whole.size(); ++size)
    EXPECT_EQ(statusOf(whole.substr(0, size)), 0) << size;
  EXPECT_EQ(statusOf(whole), 200);
}

/// Texts of requests, each with the status of its reply.
void expectStatuses(std::span<const std::pair<std::string, int>> cases) {
  for (const auto &[text, status] : cases)
    EXPECT_EQ(statusOf(text), status) << text;
}

TEST(RequestParser, CasesOfH1spec) {
  const std::pair<std::string, int> cases[] = {
      {"GET / \r\n\r\n", 400},
      {get("Expect: 100-continue\r\n"), 200},
      {get(""), 200},
      {"GET / HTTP/1.1\r\nhoSt:\tlocalhost\r\nempty:\r\n\r\n", 200},
      {get("X-Invalid[]: test\r\n"), 400},
      {"GET / HTTP/1.1\r\nContent-Length: 5\r\n\r\n", 400},
      {get("Host: other\r\n"), 400},
      {get("Content-Length: -123456789123456789123456789\r\n"), 400},
      {get("Content-Length: -1234\r\n"), 400},
      {get("Content-Length: abc\r\n"), 400},
      {get("X-Empty-Header: \r\n"), 200},
      {get("X-Bad-Control-Char: test\x07\r\n"), 400},
      {"GET / HTTP/9.9\r\nHost: localhost\r\n\r\n", 505},
      {"Extra line" + get(""), 400},
      {"GET / HTTP/1.1\r\nHost: localhost\r\n\rSome-Header: Test\r\n\r\n", 400},
      {post("Content-Length: 5\r\n", "hello"), 200},
      {post("Transfer-Encoding: chunked\r\n", "c\r\nHellO world1\r\n0\r\n\r\n"),
       200},
      {post("content-LengtH: 5\r\nTransFer-Encoding: chunked\r\n",
            "c\r\nHellO world1\r\n0\r\n\r\n"),
       400},
  };
  expectStatuses(cases);
}

TEST(RequestParser, OneLengthOnly) {
  const std::string chunks = "5\r\nhello\r\n0\r\n\r\n";
  const std::pair<std::string, int> cases[] = {
      {post("Content-Length: 5\r\nContent-Length: 5\r\n", "hello"), 400},
      {post("Content-Length: 5\r\nContent-Length: 0\r\n", "hello"), 400},
      {post("Content-Length: 5, 5\r\n", "hello"), 400},
      {post("Content-Length: +5\r\n", "hello"), 400},
      {post("Content-Length: 0x5\r\n", "hello"), 400},
      {post("Content-Length: 5 5\r\n", "hello"), 400},
      {post("Content-Length : 5\r\n", "hello"), 400},
      {post("Content-Length:\r\n"), 400},
      {post("Content-Length: 99999999999999999999\r\n"), 400},
      {post("Transfer-Encoding: chunked\r\nContent-Length: 5\r\n", chunks),
       400},
      {post("Transfer-Encoding: gzip\r\n", chunks), 400},
      {post("Transfer-Encoding: gzip, chunked\r\n", chunks), 501},
      {post("Transfer-Encoding: chunked, gzip\r\n", chunks), 400},
      {post("Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n",
            chunks),
       400},
      {post("Transfer-Encoding: xchunked\r\n", chunks), 400},
      {post("Transfer-Encoding: CHUNKED\r\n", chunks), 200},
      {post("Transfer-Encoding:\r\n chunked\r\n", chunks), 400}, // folded
      {"POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n" + chunks, 400},
      {post("Transfer-Encoding: chunked\r\n", "5;a=b\r\nhello\r\n0\r\n\r\n"),
       200},
      {post("Transfer-Encoding: chunked\r\n", "-5\r\nhello\r\n0\r\n\r\n"), 400},
      {post("Transfer-Encoding: chunked\r\n", "5\r\nhelloX0\r\n\r\n"), 400},
      {post("Transfer-Encoding: chunked\r\n", "5\nhello\r\n0\r\n\r\n"), 400},
      {post("Transfer-Encoding: chunked\r\n",
            "11111111111111111\r\nhello\r\n0\r\n\r\n"),
       400},
  };
  expectStatuses(cases);
}

TEST(RequestParser, NoBodyIsWholeAtOnce) {
  FramedRequest found = onlyOf(post(""));
  EXPECT_EQ(found.request.method, "POST");
  EXPECT_EQ(found.request.body, "");
  EXPECT_FALSE(found.isLast);
  EXPECT_EQ(statusOf(post("Content-Length: 0\r\n")), 200);
}

TEST(RequestParser, OneBehindTheOther) {
  Outcome outcome =
      outcomeOf(get("") + post("Content-Length: 5\r\n", "hello") +
                post("Transfer-Encoding: chunked\r\n",
                     "2\r\nab\r\n1\r\nc\r\n0\r\nX-Trailer: y\r\n\r\n") +
                "\r\n" + get("Connection: Keep-Alive, Close\r\n") + get(""));
  ASSERT_EQ(outcome.requests.size(), 4u);
  EXPECT_EQ(outcome.requests[1].request.body, "hello");
  EXPECT_EQ(outcome.requests[2].request.body, "abc");
  EXPECT_TRUE(outcome.requests[3].isLast);
}

TEST(RequestParser, HiddenOnesAreNone) {
  const std::string hidden = get("");
  EXPECT_EQ(outcomeOf(post("Content-Length: 0\r\nContent-Length: " +
                               std::to_string(hidden.size()) + "\r\n",
                           hidden))
                .requests.size(),
            0u);
  EXPECT_EQ(outcomeOf(post("Transfer-Encoding: chunked\r\nContent-Length: 4"
                           "\r\n",
                           "0\r\n\r\n" + hidden))
                .requests.size(),
            0u);
}

TEST(RequestParser, OlderClients) {
  FramedRequest found = onlyOf("GET / HTTP/1.0\r\n\r\n");
  EXPECT_TRUE(found.isLast);
  EXPECT_FALSE(found.knowsParts);
  found = onlyOf("GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n");
  EXPECT_FALSE(found.isLast);
  EXPECT_EQ(statusOf("GET /\r\n\r\n"), 505);
  EXPECT_EQ(statusOf("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"), 505);
  EXPECT_EQ(statusOf("CONNECT localhost:80 HTTP/1.1\r\nHost: a\r\n\r\n"), 501);
  // The server does not switch to protocols that it does not support.
  EXPECT_EQ(outcomeOf(get("Upgrade: h2c\r\nConnection: Upgrade\r\n") + get(""))
                .requests.size(),
            2u);
}

TEST(RequestParser, Targets) {
  auto pathOf = [](std::string_view target) {
    return onlyOf("GET " + std::string(target) + " HTTP/1.1\r\nHost: a\r\n\r\n")
        .request.path;
  };
  EXPECT_EQ(pathOf("/v1/models?x=/y"), "/v1/models");
  EXPECT_EQ(pathOf("http://b:80/health?x"), "/health");
  EXPECT_EQ(pathOf("HTTP://b"), "/");
  EXPECT_EQ(pathOf("/v1/models/a%2Fb%zz"), "/v1/models/a/b%zz");
  EXPECT_EQ(onlyOf("GET http://b:80/ HTTP/1.1\r\nHost: a\r\n\r\n").request.host,
            "b:80");
  EXPECT_EQ(onlyOf("OPTIONS * HTTP/1.1\r\nHost: a\r\n\r\n").request.path, "*");
  for (const char *target : {"health", "http://", "ftp://a/", "http://a b/",
                             "http://u@b/", "//\x01"})
    EXPECT_EQ(
        statusOf("GET " + std::string(target) + " HTTP/1.1\r\nHost: a\r\n\r\n"),
        400)
        << target;
  EXPECT_EQ(statusOf("GET / HTTP/1.1\r\nHost: a b\r\n\r\n"), 400);
  EXPECT_EQ(statusOf("GET / HTTP/1.1\r\nHost: a/b\r\n\r\n"), 400);
  EXPECT_EQ(statusOf("GET / HTTP/1.1\r\nHost:\r\n\r\n"), 200);
}

TEST(RequestParser, Limits) {
  const std::string large(1001, 'x');
  EXPECT_EQ(statusOf("GET /" + std::string(1024, 'x') + " HTTP/1.1\r\n"), 414);
  EXPECT_EQ(statusOf(get("X: " + std::string(2000, 'x') + "\r\n")), 431);
  EXPECT_EQ(statusOf("GET / HTTP/1.1\r\nX: " + std::string(2000, 'x')), 431);
  EXPECT_EQ(statusOf(get("X: " + std::string(1900, 'x') + "\r\n")), 200);
  // With a declared length, and without one.
  for (const std::string &text :
       {post("Content-Length: 1001\r\n", large),
        post("Transfer-Encoding: chunked\r\n", "3e9\r\n" + large)}) {
    FramedRequest found = onlyOf(text);
    EXPECT_TRUE(found.request.isTooLarge);
    EXPECT_TRUE(found.isLast);
    EXPECT_EQ(found.request.body, "");
  }
  std::string dust;
  for (int i = 0; i < 900; ++i)
    dust += "1;comment=of-a-chunk\r\nx\r\n";
  EXPECT_TRUE(
      onlyOf(post("Transfer-Encoding: chunked\r\n", dust)).request.isTooLarge);
}

TEST(RequestParser, SaysThatABodyMayCome) {
  RequestParser parser(smallLimits());
  const std::string text =
      post("Content-Length: 5\r\nExpect: 100-Continue\r\n", "hello");
  parser.read(text.substr(0, text.size() - 5));
  EXPECT_TRUE(parser.takeContinue());
  EXPECT_FALSE(parser.takeContinue());
  parser.read("hello");
  EXPECT_EQ(parser.state(), State::Whole);
  parser.take();
  parser.read(text); // the body came without waiting for 100 Continue
  EXPECT_FALSE(parser.takeContinue());
  EXPECT_EQ(statusOf(get("Expect: cake\r\n")), 417);
}

TEST(HeaderValues, AnyCaseAndSpaces) {
  for (const char *type : {"application/json", "Application/JSON",
                           "application/json;charset=utf-8",
                           " application/json ; charset=\"utf-8\""})
    EXPECT_EQ(mediaTypeOf(type), "application/json") << type;
  EXPECT_EQ(mediaTypeOf("application/jsonp"), "application/jsonp");
  for (const char *given : {"Bearer sk", "bearer sk", "BEARER  sk "})
    EXPECT_EQ(bearerOf(given).value_or(""), "sk") << given;
  for (const char *given : {"Basic sk", "Bearersk", ""})
    EXPECT_FALSE(bearerOf(given)) << given;
  EXPECT_EQ(parameterOf("a; x=1 ; Boundary = \"a\\\"b;c\" ; y=2", "boundary"),
            "a\"b;c");
  EXPECT_EQ(parameterOf("a; x=1 ; y=2", "y"), "2");
  EXPECT_EQ(parameterOf("a; y", "y"), "");
  EXPECT_FALSE(parameterOf("y=2", "y"));
}

TEST(Form, PartsOfAForm) {
  const std::string type = "Multipart/Form-Data; boundary=\"b d\"";
  auto parts = readForm("nothing\r\n--b d\r\nContent-Disposition: form-data; "
                        "name=\"a\"\r\n\r\n1\r\n2\r\n--b d  \r\n"
                        "content-type: text/plain\r\nCONTENT-DISPOSITION: "
                        "form-data; filename=\"f.wav\"; name=file\r\n\r\n"
                        "\r\n--b d--\r\nnothing",
                        type, 2);
  ASSERT_TRUE(parts);
  ASSERT_EQ(parts->size(), 2u);
  EXPECT_EQ((*parts)[0].name, "a");
  EXPECT_EQ((*parts)[0].content, "1\r\n2");
  EXPECT_EQ((*parts)[1].name, "file");
  EXPECT_EQ((*parts)[1].fileName, "f.wav");
  EXPECT_EQ((*parts)[1].content, "");
  const std::string part =
      "--b d\r\nContent-Disposition: form-data; name=a\r\n\r\n1\r\n";
  EXPECT_TRUE(readForm("--b d--", type, 1));
  EXPECT_TRUE(readForm(part + "--b d--", type, 1));
  EXPECT_FALSE(readForm(part + part + "--b d--", type, 1));
  EXPECT_FALSE(readForm(part, type, 1));
  EXPECT_FALSE(readForm(part + "--b d", type, 1));
  EXPECT_FALSE(readForm("", type, 1));
  EXPECT_FALSE(readForm(part + "--b d--", "multipart/form-data", 1));
  EXPECT_FALSE(readForm("--b d\r\n\r\n1\r\n--b d--", type, 1)); // no name
}

} // namespace
