// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A server on a socket, when it is asked to stop.

#include "runtime/serve/Http.h"

#include <gtest/gtest.h>

#include <thread>

using namespace transfold::runtime::serve;

namespace {

class HttpServerTest : public testing::Test {
protected:
  HttpServer server{{},
                    [](const HttpRequest &) { return HttpReply(); },
                    [](int) { return std::string(); }};
};

TEST_F(HttpServerTest, MayBeStoppedBeforeItRuns) {
  server.bind("127.0.0.1", 0);
  server.stop();
  server.run(); // returns
}

TEST_F(HttpServerTest, GivesItsPortBack) {
  int port = server.bind("127.0.0.1", 0);
  std::thread thread([&] { server.run(); });
  server.stop();
  thread.join();
  HttpServer next{{},
                  [](const HttpRequest &) { return HttpReply(); },
                  [](int) { return std::string(); }};
  EXPECT_EQ(next.bind("127.0.0.1", port), port);
}

} // namespace
