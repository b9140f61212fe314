// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Two libraries in a process, through transfold.hpp: requests of both on eight
// threads at once must have bit for bit the results of each alone.

#include "talk.h"
#include "transfold.hpp"
#include "vectors.h"

#include <atomic>
#include <cstdio>
#include <cstring>
#include <string>
#include <thread>

namespace {

constexpr size_t clients = 8, requests = 6;

std::string bytesOf(const tfold::Result &result, const char *name) {
  tfold::Array array = result[name];
  if (array.type() == TFOLD_FLOAT32)
    return {reinterpret_cast<const char *>(array.data<float>()),
            array.size() * sizeof(float)};
  return {reinterpret_cast<const char *>(array.data<int32_t>()),
          array.size() * sizeof(int32_t)};
}

std::string serve(const tfold::Program &vectors, const tfold::Program &talk,
                  size_t number) {
  if (number % 2) {
    tfold::Session session(vectors);
    return bytesOf(session.embed({"the cat", std::string(number, 't'), ""}),
                   "embedding");
  }
  tfold::Session session(talk);
  tfold::GenerateOptions options;
  options.maxTokens = 12;
  options.temperature = 1;
  options.seed = number;
  std::string streamed;
  options.stream = [&](std::string_view text, const int32_t *, size_t) {
    streamed += text;
    return true;
  };
  tfold::Result result =
      session.generate("Say " + std::to_string(number), options);
  return bytesOf(result, "tokens") + (streamed == result.text() ? "" : "!");
}

size_t countDifferent() {
  tfold::Program vectors(vectors_model(), {"", 3}), talk(talk_model(), {"", 2});
  std::vector<std::string> alone;
  for (size_t number = 0; number < clients * requests; ++number)
    alone.push_back(serve(vectors, talk, number));
  std::atomic<size_t> different{0};
  std::vector<std::thread> threads;
  for (size_t client = 0; client < clients; ++client)
    threads.emplace_back([&, client] {
      for (size_t i = 0; i < requests; ++i) {
        size_t number = i * clients + (client + i) % clients;
        different += serve(vectors, talk, number) != alone[number];
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  return different;
}

/// Another thread cancels a long request.
bool isCancelledByOther() {
  tfold::Program talk(talk_model());
  tfold::Session session(talk);
  std::atomic<bool> begun{false};
  tfold::GenerateOptions options;
  options.maxTokens = 16000;
  options.ignoreEnd = true;
  options.stream = [&](std::string_view, const int32_t *, size_t) {
    begun = true;
    return true;
  };
  std::thread other([&] {
    while (!begun)
      std::this_thread::yield();
    session.cancel();
  });
  tfold::Result result = session.generate("x", options);
  other.join();
  return result.isCancelled() && result["tokens"].size() < 16000;
}

/// An exception of a stream's callback propagates out of the request.
bool isThrownThrough() {
  tfold::Program talk(talk_model());
  tfold::Session session(talk);
  tfold::GenerateOptions options;
  options.stream = [](std::string_view, const int32_t *, size_t) -> bool {
    throw std::string("mine");
  };
  try {
    session.generate("x", options);
  } catch (const std::string &thrown) {
    return thrown == "mine";
  }
  return false;
}

bool saysWhy() {
  tfold::Program talk(talk_model());
  tfold::Session session(talk);
  try {
    session.embed({"x"});
  } catch (const tfold::Error &error) {
    return error.status() == TFOLD_ERROR_UNSUPPORTED &&
           std::strstr(error.what(), "no task 'embed'");
  }
  return false;
}

} // namespace

int main() {
  size_t different = countDifferent();
  bool cancelled = isCancelledByOther();
  std::printf("%zu differ, %s, %s, %s\n", different,
              cancelled ? "cancelled" : "not cancelled",
              isThrownThrough() ? "thrown" : "not thrown",
              saysWhy() ? "said" : "not said");
  return 0;
}
