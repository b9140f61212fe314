// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/Call.h"
#include "runtime/Commands.h"
#include "runtime/OutputFile.h"
#include "runtime/ThreadPool.h"

#include <algorithm>
#include <chrono>
#include <random>

namespace transfold::runtime {

namespace {

/// The same input on every machine: valid ids, reals between -1 and 1.
void fillAtRandom(Call &call, std::mt19937 &random) {
  // Not std::uniform_…_distribution, which differs between libraries.
  const Entry &entry = call.entry();
  for (size_t i = 0; i < entry.arguments.size(); ++i) {
    const Argument &argument = entry.arguments[i];
    if (argument.defaultValue)
      call.fill(i);
    else if (argument.integer)
      for (int32_t &value : call.integers(i))
        value = static_cast<int32_t>(
            random() % static_cast<uint32_t>(
                           std::clamp<int64_t>(argument.bound, 1, INT32_MAX)));
    else
      for (float &value : call.reals(i))
        value = static_cast<float>(random()) * 0x1p-31f - 1.0f;
  }
}

} // namespace

void bench(Session &session, const BenchOptions &options) {
  const Metadata &metadata = session.metadata();
  size_t index = options.entry.empty() ? 0 : metadata.entry(options.entry);
  if (metadata.entries.empty())
    fail("this program has no entries");
  Call call(session, index);
  call.setLengths(
      std::vector<int64_t>(call.entry().lengths.size(), options.sequence));
  std::mt19937 random(1);
  fillAtRandom(call, random);

  // The first runs map the weights and warm the caches.
  constexpr int64_t warmUps = 2;
  std::vector<double> times;
  for (int64_t run = -warmUps; run < options.runs; ++run) {
    auto begin = std::chrono::steady_clock::now();
    for (int64_t sequence = 0; sequence < options.batch; ++sequence)
      call.run();
    std::chrono::duration<double, std::milli> time =
        std::chrono::steady_clock::now() - begin;
    if (run >= 0)
      times.push_back(time.count());
  }
  std::ranges::sort(times);
  size_t middle = times.size() / 2;
  double median = times.size() % 2 ? times[middle]
                                   : (times[middle - 1] + times[middle]) / 2;
  unsigned threads = ThreadPool::global().threads();
  if (options.json)
    print(fmt::format(
        "{{\"entry\": \"{}\", \"batch\": {}, \"seq\": {}, \"threads\": {}, "
        "\"runs\": {}, \"median_ms\": {:.4f}, \"min_ms\": {:.4f}, "
        "\"max_ms\": {:.4f}}}\n",
        call.entry().name, options.batch, options.sequence, threads,
        times.size(), median, times.front(), times.back()));
  else
    print(fmt::format("{}, {} × {}, {} thread{}: median {:.3f} ms, min {:.3f}, "
                      "max {:.3f} ({} runs)\n",
                      call.entry().name, options.batch, options.sequence,
                      threads, threads == 1 ? "" : "s", median, times.front(),
                      times.back(), times.size()));
}

} // namespace transfold::runtime
