// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A main() for the objects of two compiled models, whose programs are called
// first_program and second_program: requests of both, on eight threads at once,
// must have bit for bit the results of each alone. The arguments are the two
// weights files.

#include "base/text/Messages.h"
#include "runtime/program/call/Call.h"
#include "runtime/steps/Generator.h"

#include <cstdio>
#include <cstring>
#include <random>
#include <thread>

using namespace transfold;
using namespace transfold::runtime;

extern "C" const transfold_program first_program, second_program;

namespace {

using Numbers = std::vector<float>;

constexpr size_t clients = 8, requestsOfEach = 6;

std::vector<int32_t> tokens(std::mt19937 &random, size_t count, int64_t bound) {
  std::vector<int32_t> ids(count);
  for (int32_t &id : ids)
    id = static_cast<int32_t>(random() % static_cast<uint32_t>(bound));
  return ids;
}

/// Whole sequences of several lengths: the results of an entry that reads
/// tokens.
void runWhole(Session &session, size_t entry, std::mt19937 &random,
              Numbers &numbers) {
  Call call(session, entry);
  std::vector<int64_t> lengths;
  for (size_t sequences = 1 + random() % 3; lengths.size() < sequences;)
    lengths.push_back(1 + static_cast<int64_t>(random() % 20));
  call.setSequences(lengths, lengths.size());
  for (size_t i = 0; i < call.entry().arguments.size(); ++i) {
    call.fill(i);
    for (size_t k = 0; k < lengths.size() && i == 0; ++k)
      std::ranges::copy(tokens(random, call.integers(i, k).size(),
                               call.entry().arguments[i].bound),
                        call.integers(i, k).begin());
  }
  call.run();
  for (size_t i = 0; i < call.entry().results.size(); ++i)
    for (size_t k = 0; k < lengths.size(); ++k)
      numbers.insert(numbers.end(), call.result(i, k).begin(),
                     call.result(i, k).end());
}

/// The tokens that the program samples after two prompts, and their
/// likelihoods.
void generate(Session &session, std::mt19937 &random, Numbers &numbers) {
  Generator generator(session);
  GenerationOptions options;
  options.most = 12;
  options.chunk = 4;
  options.sampling.temperature = 1;
  options.sampling.seed = random();
  options.ignoreEnd = true;
  Request none;
  generator.makeSteps(40, std::span(&none, 1));
  std::vector<Generated> sequences;
  for (size_t length : {1 + random() % 20, 1 + random() % 20})
    sequences.push_back({generator.begin(none),
                         tokens(random, length, generator.knownTokens()),
                         length,
                         {},
                         false});
  generator.run(sequences, options, [](Generated &) { return true; });
  for (const Generated &each : sequences) {
    numbers.insert(numbers.end(), each.tokens.begin(), each.tokens.end());
    numbers.insert(numbers.end(), each.logProbabilities.begin(),
                   each.logProbabilities.end());
  }
}

/// The results of request `number` of a program: the same on any thread.
Numbers serve(const LoadedProgram &program, ThreadPool &pool, size_t number) {
  std::mt19937 random(static_cast<unsigned>(number));
  Session session(program, pool);
  Numbers numbers;
  const std::vector<Entry> &entries = program.metadata().entries;
  for (size_t entry = 0; entry < entries.size(); ++entry)
    if (entries[entry].stage == Stage::Whole)
      runWhole(session, entry, random, numbers);
  if (generatingTask(program.metadata()))
    generate(session, random, numbers);
  return numbers;
}

/// Two programs that were not used before.
struct Programs {
  LoadedProgram first, second;

  explicit Programs(char **paths)
      : first(first_program, paths[0]), second(second_program, paths[1]) {}
  Numbers serve(ThreadPool &pool, size_t number) const {
    return ::serve(number % 2 ? second : first, pool, number);
  }
};

bool areSame(const Numbers &a, const Numbers &b) {
  return a.size() == b.size() &&
         std::memcmp(a.data(), b.data(), a.size() * sizeof(float)) == 0;
}

/// Runs all requests on separate threads: with one pool for all of them, or one
/// for each. Returns how many differ from their results alone.
size_t countDifferent(const Programs &programs,
                      const std::vector<Numbers> &alone, bool sharePool) {
  ThreadPool shared;
  shared.setThreads(3);
  std::atomic<size_t> different = 0;
  std::vector<std::jthread> threads;
  for (size_t client = 0; client < clients; ++client)
    threads.emplace_back([&, client] {
      ThreadPool own;
      own.setThreads(2);
      for (size_t i = 0; i < requestsOfEach; ++i) {
        // Concurrent clients use different programs.
        size_t number = i * clients + (client + i) % clients;
        try {
          different += !areSame(
              programs.serve(sharePool ? shared : own, number), alone[number]);
        } catch (const std::exception &error) {
          reportError(error.what());
          ++different;
        }
      }
    });
  threads.clear(); // joins them
  return different;
}

int check(char **paths) {
  std::vector<Numbers> alone;
  {
    Programs programs(paths);
    ThreadPool pool;
    for (size_t number = 0; number < clients * requestsOfEach; ++number)
      alone.push_back(programs.serve(pool, number));
    std::printf("%s and %s\n", programs.first.metadata().model.c_str(),
                programs.second.metadata().model.c_str());
  }
  size_t failures = 0;
  for (bool sharePool : {true, false}) {
    size_t different = countDifferent(Programs(paths), alone, sharePool);
    std::printf("%zu requests, %s: %zu differ\n", alone.size(),
                sharePool ? "one pool" : "pools of their own", different);
    failures += different;
  }
  return failures ? 1 : 0;
}

} // namespace

int main(int argc, char **argv) {
  if (argc != 3)
    return 1;
  try {
    return check(argv + 1);
  } catch (const std::exception &error) {
    reportError(error.what());
    return 1;
  }
}
