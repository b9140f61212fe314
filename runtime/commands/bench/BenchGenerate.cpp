// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How fast a program runs prefill and decode, compared with how fast this
// machine can read the weights at all, which is a lower bound for a token. If
// kernels run on a device, that speed is measured by copies within its memory.

#include "base/files/output/OutputFile.h"
#include "base/numeric/Median.h"
#include "runtime/commands/Commands.h"
#include "runtime/commands/bench/DeviceSpeed.h"
#include "runtime/commands/bench/KernelTimes.h"
#include "runtime/commands/bench/KernelWork.h"
#include "runtime/steps/Generator.h"

#include <algorithm>
#include <chrono>
#include <random>

namespace transfold::runtime::inline commands {

namespace {

/// Seconds by a clock that is never set back.
double secondsSince(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin)
      .count();
}

/// Bytes that a task of the reading loop sums up.
constexpr size_t pieceBytes = size_t{1} << 20;

/// Sums up one piece of the weights, just to read it.
int readPiece(void *context, int index, uint8_t *sums) {
  auto all = *static_cast<std::span<const uint8_t> *>(context);
  size_t at = static_cast<size_t>(index) * pieceBytes;
  const auto *from = reinterpret_cast<const uint64_t *>(all.data() + at);
  size_t count = std::min(pieceBytes, all.size() - at) / sizeof(uint64_t);
  uint64_t sum = 0;
  for (size_t i = 0; i < count; ++i)
    sum += from[i];
  reinterpret_cast<uint64_t *>(sums)[index] = sum;
  return 0;
}

/// Bytes per second at which all threads together read the weights; the best of
/// several attempts. On a device: the given limit, or the speed of copies; 0:
/// unknown.
double readingSpeed(const Session &session, const std::string &limits) {
  if (session.program().isOnDevice())
    return limits.empty() ? copyingSpeed(session.program().deviceWeights())
                          : MachineLimits::parse(limits).bytesRead;
  std::span<const uint8_t> all = session.program().weights().bytes();
  size_t pieces = (all.size() + pieceBytes - 1) / pieceBytes;
  std::vector<uint64_t> sums(pieces);
  double best = 0;
  for (int run = 0; run < 5; ++run) {
    auto begin = std::chrono::steady_clock::now();
    session.pool().parallelFor(readPiece, &all, 0, static_cast<int>(pieces),
                               reinterpret_cast<uint8_t *>(sums.data()));
    best =
        std::max(best, static_cast<double>(all.size()) / secondsSince(begin));
  }
  return best;
}

/// A generated prompt, and its greedy continuation.
class MadeUpText {
public:
  MadeUpText(Session &session, int64_t prompt, int64_t generate)
      : generator(session), generate(generate) {
    if (generator.encoder())
      fail("bench --generate is for programs that continue a prompt");
    steps = &generator.makeSteps(prompt + generate, {});
    std::mt19937 random(1);
    for (int64_t i = 0; i < prompt; ++i)
      ids.push_back(static_cast<int32_t>(
          random() % std::max<size_t>(steps->vocabulary(), 1)));
    sequence = generator.begin({});
  }

  const Entry &step() const { return steps->entry(); }

  /// Runs the prompt, after resetting the sequence.
  void readPrompt() {
    (void)steps->goBack(sequence, 0);
    steps->runPrompt(sequence, ids, /*chunk=*/0, argmax);
  }

  /// Generates tokens one by one; only the time of steps counts, no text is
  /// made.
  void makeTokens() {
    for (int64_t made = 0; made < generate; ++made) {
      const int32_t token = nextToken();
      Steps::Chunk next{sequence, std::span(&token, 1)};
      steps->run(std::span(&next, 1), argmax);
    }
  }

private:
  static constexpr auto argmax = Steps::For::Likeliest;

  /// The argmax of the last step, from the device if it is computed there.
  int32_t nextToken() const {
    if (auto token = steps->argmax(0))
      return *token;
    std::span<const float> logits = steps->logits(0);
    return static_cast<int32_t>(std::ranges::max_element(logits) -
                                logits.begin());
  }

  Generator generator;
  Steps *steps = nullptr;
  std::vector<int32_t> ids;
  size_t sequence = 0;
  int64_t generate;
};

/// The lengths of one step: `rows` rows, of which one is requested, and `seen`
/// visible rows.
std::vector<SequenceLengths> stepOf(const Entry &entry, double rows,
                                    double seen) {
  SequenceLengths lengths;
  for (size_t i = 0; i < entry.lengths.size(); ++i) {
    bool isAskedFor = entry.lengths[i].ends_with(".wanted");
    lengths.lengths.push_back(isAskedFor ? 1 : rows);
    lengths.seen.push_back(isAskedFor ? 1 : seen);
  }
  return {lengths};
}

/// Kernel times of the prompt, and of one token.
struct WatchedKernels {
  std::vector<KernelTimes::Row> prompt, token;
};

/// Runs the prompt and the generation once more with a profiler.
WatchedKernels watch(Session &session, MadeUpText &text, int64_t generate) {
  WatchedKernels watched;
  {
    KernelTimes ofPrompt(session);
    ofPrompt.startRun();
    text.readPrompt();
    watched.prompt = ofPrompt.rows(1);
  }
  KernelTimes ofTokens(session);
  ofTokens.startRun();
  text.makeTokens();
  watched.token = ofTokens.rows(generate);
  return watched;
}

/// The end of the message about weights: the comparison with the memory
/// bandwidth.
std::string besideMemory(const Session &session, const BenchOptions &options,
                         double speed, double share) {
  if (!(speed > 0))
    return "";
  const char *who = !session.program().isOnDevice() ? "this machine reads"
                    : options.limits.empty()
                        ? "copying, the device's memory reaches"
                        : "the device's memory is said to reach";
  return fmt::format("; {} {:.1f} GB/s: {:.0f} % of that", who, speed / 1e9,
                     100 * share);
}

/// The measured speed of a program.
struct MeasuredSpeed {
  double promptRate, tokenRate; // tokens per second: prefill, decoding
  double reading; // bytes of weights that can be read per second; 0: unknown
  int64_t weightBytes; // that one token reads

  /// The part of `reading` that decoding reaches; 0: unknown.
  double share() const {
    return reading > 0 ? static_cast<double>(weightBytes) * tokenRate / reading
                       : 0;
  }
};

/// Runs prefill and decoding `options.runs` times, and measures how fast the
/// weights can be read. Throws Error if a run fails.
MeasuredSpeed measureSpeed(Session &session, MadeUpText &text,
                           const BenchOptions &options) {
  std::vector<double> promptTimes, tokenTimes;
  // The first run maps the weights and warms the caches.
  for (int64_t run = -1; run < options.runs; ++run) {
    auto begin = std::chrono::steady_clock::now();
    text.readPrompt();
    double promptTime = secondsSince(begin);
    begin = std::chrono::steady_clock::now();
    text.makeTokens();
    if (run < 0)
      continue;
    promptTimes.push_back(promptTime);
    tokenTimes.push_back(secondsSince(begin) /
                         static_cast<double>(options.generate));
  }
  double promptRate = static_cast<double>(options.prompt) / median(promptTimes);
  double tokenRate = 1 / median(tokenTimes);
  double reading = readingSpeed(session, options.limits);
  return {promptRate, tokenRate, reading,
          static_cast<int64_t>(text.step().weightBytes)};
}

/// The lengths of the prompt, and of one token.
struct MeasuredLengths {
  std::vector<SequenceLengths> prompt, token;
};

MeasuredLengths lengthsOf(const Entry &step, const BenchOptions &options) {
  auto rows = static_cast<double>(options.prompt);
  return {
      stepOf(step, rows, rows),
      // The middle of the generated tokens.
      stepOf(step, 1, rows + static_cast<double>(options.generate + 1) / 2)};
}

/// Measures the time of each kernel, and the share of the machine's limits that
/// it reaches. `reading` is the measured speed of reading the weights.
WatchedKernels watchWithLimits(Session &session, MadeUpText &text,
                               const BenchOptions &options,
                               const MeasuredLengths &lengths, double reading) {
  WatchedKernels watched = watch(session, text, options.generate);
  MachineLimits limits = limitsFor(options.limits, session);
  // The weights were read just before, perhaps with less load on the machine.
  if (options.limits.empty())
    limits.bytesRead = std::max(limits.bytesRead, reading);
  addLimits(watched.prompt, session.metadata(), text.step(), lengths.prompt,
            limits);
  addLimits(watched.token, session.metadata(), text.step(), lengths.token,
            limits);
  return watched;
}

/// Prints the results as a JSON object; `kernels` is its end, with the times of
/// kernels.
void printAsJson(const Session &session, const Entry &step,
                 const BenchOptions &options, const MeasuredSpeed &speed,
                 const MeasuredLengths &lengths, const std::string &kernels) {
  print(fmt::format(
      "{{\"prompt\": {}, \"generate\": {}, \"threads\": {}, \"runs\": {}, "
      "\"prompt_per_s\": {:.2f}, \"generate_per_s\": {:.2f}, "
      "\"weight_bytes\": {}, \"read_per_s\": {:.0f}, "
      "\"bandwidth_share\": {:.3f}, \"prompt_operations\": {:.0f}, "
      "\"token_operations\": {:.0f}{}{}}}\n",
      options.prompt, options.generate, session.pool().threads(), options.runs,
      speed.promptRate, speed.tokenRate, speed.weightBytes, speed.reading,
      speed.share(), operationsOf(step, lengths.prompt),
      operationsOf(step, lengths.token),
      options.madeUpWeights ? ", \"weights\": \"made up\"" : "", kernels));
}

/// Prints the results as text, without the times of kernels.
void printAsText(const Session &session, const BenchOptions &options,
                 const MeasuredSpeed &speed) {
  unsigned threads = session.pool().threads();
  print(fmt::format(
      "{} thread{}, medians of {} runs{}\n"
      "  prompt of {}      {:8.1f} tokens/s\n"
      "  then {} tokens    {:8.1f} tokens/s, {:.1f} ms each\n"
      "  {:.0f} MB of weights a token{}\n",
      threads, threads == 1 ? "" : "s", options.runs,
      options.madeUpWeights ? ", made-up weights" : "", options.prompt,
      speed.promptRate, options.generate, speed.tokenRate,
      1e3 / speed.tokenRate, static_cast<double>(speed.weightBytes) / 1e6,
      besideMemory(session, options, speed.reading, speed.share())));
}

} // namespace

void benchGenerate(Session &session, const BenchOptions &options) {
  MadeUpText text(session, options.prompt, options.generate);
  const MeasuredSpeed speed = measureSpeed(session, text, options);
  const MeasuredLengths lengths = lengthsOf(text.step(), options);
  WatchedKernels watched;
  std::string kernels;
  if (options.byKernel) {
    watched = watchWithLimits(session, text, options, lengths, speed.reading);
    kernels = ", \"prompt_kernels\": " + asJson(watched.prompt) +
              ", \"token_kernels\": " + asJson(watched.token);
  }
  if (options.json)
    return printAsJson(session, text.step(), options, speed, lengths, kernels);
  printAsText(session, options, speed);
  if (options.byKernel) {
    print("the prompt\n");
    printKernelTimes(watched.prompt);
    print("a token\n");
    printKernelTimes(watched.token);
  }
}

} // namespace transfold::runtime::inline commands
