// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A server on a socket: requests one after the other, many connections, slow
// clients, and its end.

#include "base/NonCopyable.h"
#include "runtime/serve/http/Http.h"

#include <gtest/gtest.h>

#include <arpa/inet.h>
#include <atomic>
#include <condition_variable>
#include <mutex>
#include <sys/socket.h>
#include <thread>
#include <unistd.h>

using namespace transfold::runtime::serve;

namespace {

/// A connection to a server on this machine.
class Client : transfold::NonCopyable {
public:
  explicit Client(int port, const char *from = "127.0.0.1")
      : socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    timeval most{20, 0}; // a test fails if the wait times out
    ::setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &most, sizeof most);
    auto own = addressOf(from, 0), other = addressOf("127.0.0.1", port);
    EXPECT_EQ(::bind(socket, asAny(own), sizeof own), 0);
    EXPECT_EQ(::connect(socket, asAny(other), sizeof other), 0);
  }
  ~Client() { ::close(socket); }

  void send(std::string_view text) const {
    ::send(socket, text.data(), text.size(), MSG_NOSIGNAL);
  }
  /// Receives until `end` was received, or the server closes.
  std::string receive(std::string_view end = "") const {
    std::string all;
    char part[4096];
    while (end.empty() || all.find(end) == all.npos) {
      ssize_t count = ::recv(socket, part, sizeof part, 0);
      if (count <= 0)
        return all + (count == 0 ? "" : "(nothing more)");
      all.append(part, static_cast<size_t>(count));
    }
    return all;
  }
  /// Whether the server has closed the connection; does not wait.
  bool isClosed() const {
    char byte;
    return ::recv(socket, &byte, 1, MSG_PEEK | MSG_DONTWAIT) == 0;
  }

private:
  int socket;
  static sockaddr_in addressOf(const char *text, int port) {
    sockaddr_in address = {};
    address.sin_family = AF_INET;
    address.sin_port = htons(static_cast<uint16_t>(port));
    ::inet_pton(AF_INET, text, &address.sin_addr);
    return address;
  }
  static const sockaddr *asAny(const sockaddr_in &address) {
    return reinterpret_cast<const sockaddr *>(&address);
  }
};

/// "abc" in three parts.
struct ThreeParts final : HttpBody {
  char letter = 'a';
  bool next(std::string &part) override {
    part += letter;
    return ++letter <= 'c';
  }
};

class HttpServerTest : public testing::Test {
protected:
  HttpLimits limits;
  std::mutex mutex;
  std::condition_variable isOpen;
  bool isGateOpen = false;
  std::atomic<int> atGate = 0;
  std::unique_ptr<HttpServer> server;
  int port = 0;
  std::thread thread;

  void start() {
    server = std::make_unique<HttpServer>(
        limits, [this](HttpRequest &request) { return answer(request); },
        [](int status) { return "status " + std::to_string(status); });
    port = server->bind("127.0.0.1", 0);
    thread = std::thread([this] { server->run(); });
  }
  void TearDown() override {
    openGate();
    if (server)
      server->stop();
    if (thread.joinable())
      thread.join();
  }

  /// Describes the request; /gate waits, /parts is sent in parts.
  HttpReply answer(const HttpRequest &request) {
    HttpReply reply;
    if (request.path == "/gate") {
      std::unique_lock lock(mutex);
      ++atGate;
      isOpen.wait(lock, [this] { return isGateOpen; });
    } else if (request.path == "/parts") {
      reply.parts = std::make_shared<ThreeParts>();
    } else if (request.path == "/large") {
      reply.body = std::string(16 << 20, 'x');
    }
    if (reply.body.empty())
      reply.body = "[" + request.method + " " + request.path + " " +
                   request.body + (request.isTooLarge ? "large" : "") + "]";
    return reply;
  }
  void openGate() {
    std::lock_guard lock(mutex);
    isGateOpen = true;
    isOpen.notify_all();
  }

  static std::string get(std::string_view path, std::string_view more = "") {
    return "GET " + std::string(path) + " HTTP/1.1\r\nHost: a\r\n" +
           std::string(more) + "\r\n";
  }
  static std::string post(std::string_view path, std::string_view body) {
    return "POST " + std::string(path) +
           " HTTP/1.1\r\nHost: a\r\nContent-Length: " +
           std::to_string(body.size()) + "\r\n\r\n" + std::string(body);
  }
  void expectAnswers(const Client &client) {
    client.send(get("/health"));
    EXPECT_NE(client.receive("]").find("[GET /health ]"), std::string::npos);
  }
};

constexpr const char *last = "Connection: close\r\n";

TEST_F(HttpServerTest, MayBeStoppedBeforeItRuns) {
  start();
  server->stop();
  thread.join();
  HttpServer other{{},
                   [](HttpRequest &) { return HttpReply(); },
                   [](int) { return std::string(); }};
  other.bind("127.0.0.1", 0);
  other.stop();
  other.run(); // returns
}

TEST_F(HttpServerTest, GivesItsPortBack) {
  start();
  server->stop();
  thread.join();
  HttpServer next{{},
                  [](HttpRequest &) { return HttpReply(); },
                  [](int) { return std::string(); }};
  EXPECT_EQ(next.bind("127.0.0.1", port), port);
}

TEST_F(HttpServerTest, AnswersAllThatComeTogether) {
  start();
  Client client(port);
  client.send(get("/1") + post("/2", "two") + get("/parts") +
              "HEAD /3 HTTP/1.1\r\nHost: a\r\n\r\n" + get("/4", last) +
              get("/5"));
  std::string all = client.receive();
  for (const char *part : {"[GET /1 ]", "[POST /2 two]", "1\r\na\r\n",
                           "1\r\nc\r\n", "0\r\n\r\n", "[GET /4 ]"})
    EXPECT_NE(all.find(part), std::string::npos) << part;
  EXPECT_EQ(all.find("HEAD /3"), std::string::npos); // only its length
  EXPECT_EQ(all.find("/5"), std::string::npos);
  size_t count = 0;
  for (size_t at = all.find("HTTP/1.1 200 OK\r\nDate: "); at != all.npos;
       at = all.find("HTTP/1.1 200 OK\r\nDate: ", at + 1))
    ++count;
  EXPECT_EQ(count, 5u);
}

TEST_F(HttpServerTest, NoChunksForOlderClients) {
  start();
  Client client(port);
  client.send("GET /parts HTTP/1.0\r\n\r\n");
  std::string all = client.receive();
  EXPECT_TRUE(all.ends_with("\r\n\r\nabc")) << all;
  EXPECT_EQ(all.find("chunked"), std::string::npos);
  Client kept(port);
  kept.send("GET /1 HTTP/1.0\r\nConnection: keep-alive\r\n\r\n");
  EXPECT_NE(kept.receive("]").find("Connection: keep-alive"),
            std::string::npos);
  expectAnswers(kept);
}

TEST_F(HttpServerTest, NothingBehindWhatIsNoRequest) {
  start();
  const std::string hidden = get("/hidden");
  for (const std::string &text :
       {"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\nContent-Length: " +
            std::to_string(hidden.size()) + "\r\n\r\n" + hidden,
        "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n"
        "Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n" +
            hidden}) {
    Client client(port);
    client.send(text);
    std::string all = client.receive();
    EXPECT_TRUE(all.starts_with("HTTP/1.1 400 Bad Request\r\n")) << all;
    EXPECT_TRUE(all.ends_with("status 400")) << all;
  }
}

TEST_F(HttpServerTest, WhatIsTooLargeIsToldSo) {
  limits.body = 1000;
  start();
  Client client(port);
  client.send(post("/", std::string(3000, 'x')));
  std::string all = client.receive();
  EXPECT_NE(all.find("[POST / large]"), std::string::npos) << all;
}

TEST_F(HttpServerTest, ABodyMayComeWhenItIsTime) {
  start();
  Client client(port);
  client.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n"
              "Expect: 100-continue\r\n\r\n");
  EXPECT_EQ(client.receive("\r\n\r\n"), "HTTP/1.1 100 Continue\r\n\r\n");
  client.send("hello");
  EXPECT_NE(client.receive("]").find("[POST / hello]"), std::string::npos);
}

TEST_F(HttpServerTest, WhoDripsCostsNoThread) {
  limits.threads = 1;
  start();
  std::vector<std::unique_ptr<Client>> dripping;
  for (int i = 0; i < 400; ++i) {
    dripping.push_back(std::make_unique<Client>(port));
    dripping.back()->send(i % 2 ? "GET / HTTP/1.1\r\nX: "
                                : post("/", "hello").substr(0, 60));
  }
  for (int round = 0; round < 3; ++round) {
    for (const auto &client : dripping)
      client->send("x");
    expectAnswers(Client(port));
    Client client(port);
    client.send(post("/", "hello"));
    EXPECT_NE(client.receive("]").find("[POST / hello]"), std::string::npos);
  }
}

TEST_F(HttpServerTest, HoldsIdleConnections) {
  start();
  std::vector<std::unique_ptr<Client>> idle;
  for (int i = 0; i < 2000; ++i)
    idle.push_back(std::make_unique<Client>(port));
  expectAnswers(Client(port));
  for (const auto &client : idle)
    expectAnswers(*client);
  for (const auto &client : idle) // all concurrently
    client->send(get("/all"));
  for (const auto &client : idle)
    EXPECT_NE(client->receive("]").find("[GET /all ]"), std::string::npos);
}

TEST_F(HttpServerTest, NobodyHasAllConnections) {
  limits.connections = 8;
  start();
  std::vector<std::unique_ptr<Client>> many;
  Client other(port, "127.0.0.2");
  expectAnswers(other);
  for (int i = 0; i < 20; ++i) {
    many.push_back(std::make_unique<Client>(port));
    expectAnswers(*many.back());
  }
  expectAnswers(other); // this connection is older than all of them
  for (size_t i = 0; i < many.size(); ++i)
    EXPECT_EQ(many[i]->isClosed(), i < 13) << i;
  Client third(port, "127.0.0.3");
  expectAnswers(third);
  expectAnswers(other);
}

TEST_F(HttpServerTest, AnswersWhereAllThreadsAreBusy) {
  limits.threads = 2;
  limits.waiting = 3;
  start();
  std::vector<std::unique_ptr<Client>> busy;
  for (int i = 0; i < 2; ++i) {
    busy.push_back(std::make_unique<Client>(port));
    busy.back()->send(post("/gate", "x"));
  }
  while (atGate < 2)
    std::this_thread::yield();
  for (int i = 0; i < 6; ++i) {
    busy.push_back(std::make_unique<Client>(port));
    busy.back()->send(post("/" + std::to_string(i), "x"));
  }
  expectAnswers(Client(port));
  openGate();
  int refused = 0;
  for (const auto &client : busy)
    refused += client->receive("x]").find(" 503 ") != std::string::npos;
  EXPECT_EQ(refused, 3);
}

TEST_F(HttpServerTest, WhoDoesNotReadCostsNoThread) {
  limits.threads = 1;
  start();
  Client slow(port);
  slow.send(post("/large", "x"));
  Client client(port);
  client.send(post("/", "hello"));
  EXPECT_NE(client.receive("]").find("[POST / hello]"), std::string::npos);
  std::string all = slow.receive("\r\n\r\n");
  size_t size = all.size() - all.find("\r\n\r\n") - 4;
  while (size < (16u << 20))
    size += slow.receive("x").size();
  EXPECT_EQ(size, 16u << 20);
}

TEST_F(HttpServerTest, TheLargestGivesWay) {
  limits.memory = 1 << 20;
  start();
  auto begin = [](Client &client, size_t size) {
    client.send(
        "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 8000000\r\n\r\n" +
        std::string(size, 'x'));
  };
  Client larger(port), smaller(port), next(port);
  begin(larger, 600 << 10);
  expectAnswers(Client(port)); // the other requests come after it
  begin(smaller, 300 << 10);
  expectAnswers(Client(port));
  begin(next, 400 << 10);
  EXPECT_NE(larger.receive().find(" 503 "), std::string::npos);
  EXPECT_FALSE(smaller.isClosed());
  EXPECT_FALSE(next.isClosed());
}

} // namespace
