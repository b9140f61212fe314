// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/commands/Commands.h"
#include "runtime/commands/bench/KernelTimes.h"
#include "runtime/commands/bench/KernelWork.h"
#include "runtime/commands/bench/Median.h"
#include "runtime/files/output/OutputFile.h"
#include "runtime/program/call/Call.h"

#include <algorithm>
#include <chrono>
#include <numeric>
#include <random>

namespace transfold::runtime {

namespace {

/// Fills the arguments with the same values on every machine: valid ids, reals
/// between -1 and 1.
void fillAtRandom(Call &call, std::mt19937 &random) {
  // Not std::uniform_…_distribution, whose results differ between libraries.
  const Entry &entry = call.entry();
  for (size_t i = 0; i < entry.arguments.size(); ++i) {
    const Argument &argument = entry.arguments[i];
    if (argument.defaultValue)
      call.fill(i);
    for (size_t s = 0; s < call.sequences() && !argument.defaultValue; ++s) {
      if (argument.integer)
        for (int32_t &value : call.integers(i, s))
          value = static_cast<int32_t>(
              random() % static_cast<uint32_t>(std::clamp<int64_t>(
                             argument.bound, 1, INT32_MAX)));
      else
        for (float &value : call.reals(i, s))
          value = static_cast<float>(random()) * 0x1p-31f - 1.0f;
    }
  }
}

/// Lengths evenly distributed from the shortest to the longest sequence, those
/// of each sequence in turn.
std::vector<int64_t> chooseLengths(const Entry &entry,
                                   const BenchOptions &options) {
  std::vector<int64_t> lengths;
  int64_t shortest = std::min(options.shortest, options.sequence);
  if (!options.shortest)
    shortest = options.sequence;
  for (int64_t s = 0; s < options.batch; ++s)
    lengths.insert(lengths.end(), entry.lengths.size(),
                   options.batch == 1
                       ? options.sequence
                       : shortest + (options.sequence - shortest) * s /
                                        (options.batch - 1));
  return lengths;
}

/// The lengths of each sequence; since the sequences are complete, all rows are
/// visible.
std::vector<SequenceLengths> ofSequences(const std::vector<int64_t> &lengths,
                                         size_t each) {
  std::vector<SequenceLengths> sequences;
  for (size_t i = 0; each && i < lengths.size(); i += each) {
    SequenceLengths &added = sequences.emplace_back();
    for (size_t k = 0; k < each; ++k)
      added.lengths.push_back(static_cast<double>(lengths[i + k]));
    added.seen = added.lengths;
  }
  return sequences;
}

/// Runs the entry with a profiler, after the timed runs, since profiling takes
/// time.
std::vector<KernelTimes::Row> watch(Session &session, Call &call,
                                    int64_t runs) {
  KernelTimes times(session);
  for (int64_t run = 0; run < runs; ++run) {
    times.startRun();
    call.run();
  }
  return times.rows(runs);
}

} // namespace

void bench(Session &session, const BenchOptions &options) {
  const Metadata &metadata = session.metadata();
  size_t index = options.entry.empty() ? 0 : metadata.entry(options.entry);
  if (metadata.entries.empty())
    fail("this program has no entries");
  Call call(session, index);
  std::vector<int64_t> lengths = chooseLengths(call.entry(), options);
  call.setSequences(lengths, static_cast<size_t>(options.batch));
  std::mt19937 random(1);
  fillAtRandom(call, random);

  // The first runs map the weights and warm the caches.
  constexpr int64_t warmUps = 2;
  std::vector<double> times;
  for (int64_t run = -warmUps; run < options.runs; ++run) {
    auto begin = std::chrono::steady_clock::now();
    call.run();
    std::chrono::duration<double, std::milli> time =
        std::chrono::steady_clock::now() - begin;
    if (run >= 0)
      times.push_back(time.count());
  }
  std::ranges::sort(times);
  double typical = median(times);
  unsigned threads = session.pool().threads();
  auto sequences = ofSequences(lengths, call.entry().lengths.size());
  std::vector<KernelTimes::Row> kernels;
  if (options.byKernel) {
    kernels = watch(session, call, options.runs);
    addLimits(kernels, metadata, call.entry(), sequences,
              limitsFor(options.limits, session));
  }
  double operations = operationsOf(call.entry(), sequences);
  int64_t tokens = std::accumulate(lengths.begin(), lengths.end(), int64_t{0});
  if (options.json)
    print(fmt::format(
        "{{\"entry\": \"{}\", \"batch\": {}, \"seq\": {}, \"tokens\": {}, "
        "\"threads\": {}, \"runs\": {}, \"median_ms\": {:.4f}, \"min_ms\": "
        "{:.4f}, "
        "\"max_ms\": {:.4f}{}{}{}}}\n",
        call.entry().name, options.batch, options.sequence, tokens, threads,
        times.size(), typical, times.front(), times.back(),
        operations > 0 ? fmt::format(", \"operations\": {:.0f}", operations)
                       : "",
        options.madeUpWeights ? ", \"weights\": \"made up\"" : "",
        options.byKernel ? ", \"kernels\": " + asJson(kernels) : ""));
  else
    print(
        fmt::format("{}, {} × {}, {} thread{}{}: median {:.3f} ms, min {:.3f}, "
                    "max {:.3f} ({} runs)\n",
                    call.entry().name, options.batch, options.sequence, threads,
                    threads == 1 ? "" : "s",
                    options.madeUpWeights ? ", made-up weights" : "", typical,
                    times.front(), times.back(), times.size()));
  if (!options.json && options.byKernel)
    print(kernels);
}

} // namespace transfold::runtime
