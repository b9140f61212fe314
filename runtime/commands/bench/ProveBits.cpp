// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `prove-bits`: the results of a request have the same bits alone, in any
// batch, in chunks of any number of tokens, and on any number of threads.
// Requests are generated; each is computed alone on one thread first, and then
// again among others in many random ways.

#include "base/Error.h"
#include "base/files/output/OutputFile.h"
#include "runtime/commands/Commands.h"
#include "runtime/commands/bench/RandomRequests.h"
#include "runtime/tasks/eval/EvalSteps.h"
#include "runtime/weights/Checksums.h"

#include <algorithm>
#include <bit>
#include <list>
#include <thread>

namespace transfold::runtime::inline commands {

namespace {

/// A session with threads of its own.
struct ThreadedSession {
  ThreadPool pool;
  Session session;

  ThreadedSession(const LoadedProgram &program, unsigned threads)
      : session(program, pool) {
    pool.setThreads(threads);
  }
};

/// Sessions with 1, 2 and 3 threads, and one with all. A device has threads of
/// its own, and one session.
std::list<ThreadedSession> sessionsOf(const LoadedProgram &program) {
  std::list<ThreadedSession> sessions;
  sessions.emplace_back(program, 1);
  if (program.isOnDevice())
    return sessions;
  sessions.emplace_back(program, 2);
  sessions.emplace_back(program, 3);
  if (unsigned all = std::thread::hardware_concurrency(); all > 3)
    sessions.emplace_back(program, all);
  return sessions;
}

/// A generated request for an entry.
struct Request {
  std::vector<int64_t> lengths;
  uint32_t seed; // of its arguments
};

/// One way to compute some of the requests.
struct Way {
  std::vector<size_t> requests; // indices
  Session &session;
  int64_t chunk = 0; // tokens of a step; 0: whole sequences
};

/// The check of one entry.
class BitsOfEntry {
public:
  BitsOfEntry(std::list<ThreadedSession> &sessions, size_t index,
              const ProveBitsOptions &options)
      : sessions(sessions), index(index), options(options),
        metadata(sessions.front().session.metadata()),
        entry(metadata.entries[index]) {}

  /// Computes each request alone. Throws Error.
  void computeAlone() {
    for (size_t k = 0; k < static_cast<size_t>(options.requests); ++k) {
      requests.push_back({randomLengths(entry, options.longest, random),
                          static_cast<uint32_t>(random())});
      alone.push_back(computed({{k}, sessions.front().session}));
    }
  }

  /// Computes requests in one random way. Throws Error if a bit differs.
  void compareOnce() {
    const Way way = anyWay();
    const Call call = computed(way);
    for (size_t k = 0; k < way.requests.size(); ++k)
      for (size_t i = 0; i < entry.results.size(); ++i)
        compare(way, i, alone[way.requests[k]].result(i), call.result(i, k));
  }

  /// The checksum of all results, and of those with the checksum `before`.
  uint64_t checksumAfter(uint64_t before) const {
    auto bytes = [](const auto &values) {
      return std::span(reinterpret_cast<const uint8_t *>(values.data()),
                       values.size() * sizeof(values[0]));
    };
    std::vector<uint64_t> sums = {before};
    for (const Call &call : alone)
      for (size_t i = 0; i < entry.results.size(); ++i)
        sums.push_back(checksum(bytes(call.result(i))));
    return checksum(bytes(sums));
  }

  std::string str() const {
    const unsigned most = sessions.back().pool.threads();
    return fmt::format(
        "{}: {} requests, {} batches, {} of them in steps{}: the same bits\n",
        entry.name, requests.size(), options.batches, stepped,
        most > 1 ? fmt::format(", on 1 to {} threads", most) : "");
  }

private:
  std::list<ThreadedSession> &sessions;
  const size_t index;
  const ProveBitsOptions &options;
  const Metadata &metadata;
  const Entry &entry;
  std::mt19937 random{1};
  std::vector<Request> requests;
  std::vector<Call> alone; // of each request
  int64_t stepped = 0;     // number of batches that were computed in steps

  Way anyWay() {
    auto session = std::next(sessions.begin(),
                             static_cast<long>(random() % sessions.size()));
    Way way{{}, session->session};
    for (size_t k = 0; k < requests.size(); ++k)
      way.requests.push_back(k);
    // Not std::shuffle, whose result differs between libraries.
    for (size_t k = way.requests.size() - 1; k > 0; --k)
      std::swap(way.requests[k], way.requests[random() % (k + 1)]);
    way.requests.resize(1 + random() % way.requests.size());
    constexpr int64_t largestStep = 24; // tokens; more than one tile of rows
    if (tasks::hasSteps(metadata, entry) && random() % 2) {
      way.chunk =
          randomBetween(1, std::min(options.longest, largestStep), random);
      ++stepped;
    }
    return way;
  }

  /// A call that has run in this way.
  Call computed(const Way &way) const {
    Call call(way.session, index);
    std::vector<int64_t> lengths;
    for (size_t each : way.requests)
      lengths.insert(lengths.end(), requests[each].lengths.begin(),
                     requests[each].lengths.end());
    call.setSequences(lengths, way.requests.size());
    fillDefaults(call);
    for (size_t k = 0; k < way.requests.size(); ++k) {
      std::mt19937 values(requests[way.requests[k]].seed);
      fillAtRandom(call, k, values);
    }
    if (way.chunk)
      tasks::runBySteps(way.session, call, way.chunk);
    else
      call.run();
    return call;
  }

  /// Compares result `i` of a request alone with that in a batch.
  void compare(const Way &way, size_t i, std::span<const float> single,
               std::span<const float> among) const {
    auto isSame = [](float a, float b) {
      return std::bit_cast<uint32_t>(a) == std::bit_cast<uint32_t>(b);
    };
    const auto [one, other] = std::ranges::mismatch(single, among, isSame);
    if (one == single.end() && other == among.end())
      return;
    fail("{}: element {} of '{}' is {} alone and {} in a batch of {} on {} "
         "threads, {} tokens a step (0: all). Please report this with the "
         "output of 'info'",
         entry.name, one - single.begin(), entry.results[i].external, *one,
         *other, way.requests.size(), way.session.pool().threads(), way.chunk);
  }
};

} // namespace

void proveBits(const LoadedProgram &program, const ProveBitsOptions &options) {
  std::list<ThreadedSession> sessions = sessionsOf(program);
  uint64_t sum = 0;
  for (size_t index = 0; index < program.metadata().entries.size(); ++index) {
    if (program.metadata().entries[index].stage != Stage::Whole)
      continue;
    BitsOfEntry entry(sessions, index, options);
    entry.computeAlone();
    for (int64_t k = 0; k < options.batches; ++k)
      entry.compareOnce();
    sum = entry.checksumAfter(sum);
    print(entry.str());
  }
  print(fmt::format("{:016x}  all results\n", sum));
}

} // namespace transfold::runtime::inline commands
