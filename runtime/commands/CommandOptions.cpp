// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/commands/CommandOptions.h"

#include "runtime/commands/bench/MachineLimits.h"
#include "runtime/commands/cli/InRange.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <charconv>

namespace transfold::runtime {

namespace {

constexpr int64_t many = int64_t{1} << 30;

/// Validates a seed: CLI11 would also accept -1 for an unsigned number, and
/// numbers beyond the largest.
std::string isSeed(const std::string &word) {
  uint64_t seed = 0;
  const char *end = word.data() + word.size();
  auto [rest, problem] = std::from_chars(word.data(), end, seed);
  if (problem == std::errc() && rest == end)
    return "";
  return fmt::format("Value {} not in range 0 to {}", word, UINT64_MAX);
}

} // namespace

/// Options for the selection of tokens.
static void addSamplingOptions(CLI::App &app, SamplingOptions &sampling) {
  auto number = [&](const char *name, auto &value, auto range,
                    const char *help) {
    app.add_option(name, value, help)
        ->check(inRange(range))
        ->capture_default_str();
  };
  number("--temperature", sampling.temperature, ranges::temperature,
         "Draw tokens; the higher, the more surprising");
  number("--top-k", sampling.topK, ranges::topK,
         "Draw from the K likeliest (0: all)");
  number("--top-p", sampling.topP, ranges::topP,
         "Draw from the likeliest that make up P together");
  number("--min-p", sampling.minP, ranges::minP,
         "Draw from those at least P times as likely as the first");
  number("--repetition-penalty", sampling.repetitionPenalty,
         ranges::repetitionPenalty, "Make tokens that were there less likely");
  app.add_option("--seed", sampling.seed, "Equal seeds draw equally")
      ->check(isSeed)
      ->capture_default_str();
}

void addGenerateOptions(CLI::App &app, GenerateOptions &o) {
  auto number = [&](const char *name, auto &value, auto range,
                    const char *help) {
    app.add_option(name, value, help)
        ->check(inRange(range))
        ->capture_default_str();
  };
  // One value for each occurrence of the option: the next word may be a text.
  auto list = [&](const char *name, auto &values, const char *help,
                  const char *type) {
    app.add_option(name, values, help)
        ->allow_extra_args(false)
        ->type_name(type);
  };
  number("--max-new", o.most, ranges::tokens, "New tokens at most");
  addSamplingOptions(app, o.sampling);
  list("--suppress", o.sampling.suppressed, "Tokens never taken", "ID");
  list("--stop", o.stops, "A text that ends the result; again for more",
       "TEXT");
  list("--eos", o.ends, "Tokens that end it (default: the model's)", "ID");
  app.add_flag("--ignore-eos", o.ignoreEnd, "No token ends it");
  list("--start", o.start,
       "Tokens that a translation begins with (default: the model's)", "ID");
  number("--beams", o.beams, ranges::beams,
         "Search that many continuations at a time");
  number("--length-penalty", o.lengthPenalty, ranges::lengthPenalty,
         "Of beams: above 0 favours long ones");
  app.add_flag("--early-stopping", o.earlyStopping,
               "Of beams: stop when as many have ended");
  number("--chunk", o.chunk, ranges::tokens,
         "Tokens of a prompt that are read at once");
  auto *ids = app.add_option("--ids", o.ids, "Ids [batch, tokens], not texts")
                  ->type_name("FILE");
  app.add_option("--mask", o.mask, "Which of the ids are there")
      ->type_name("FILE")
      ->needs(ids);
  app.add_option("--features", o.features, "What the encoder reads, not texts")
      ->type_name("FILE");
  app.add_option("--out", o.output, "Ids, the given and the new")
      ->type_name("FILE");
  app.add_option("--scores", o.scores,
                 "Of beams their scores, else each new token's log "
                 "probability")
      ->type_name("FILE");
}

void addChatOptions(CLI::App &app, ChatOptions &o,
                    std::vector<std::string> &variables) {
  auto list = [&](const char *name, auto &values, const char *help,
                  const char *type) {
    app.add_option(name, values, help)
        ->allow_extra_args(false)
        ->type_name(type);
  };
  app.add_option("--system", o.system, "What the system message says")
      ->type_name("TEXT");
  app.add_option("--max-tokens,--max-new", o.most,
                 "Tokens of an answer at most (0: 8192)")
      ->check(CLI::Range(int64_t{0}, many))
      ->capture_default_str();
  addSamplingOptions(app, o.sampling);
  list("--stop", o.stops, "A text that ends an answer; again for more", "TEXT");
  app.add_option("--context", o.context,
                 "Room for so many tokens (default: as the model has)")
      ->check(CLI::Range(int64_t{2}, many));
  app.add_flag("--drop-oldest", o.dropOldest,
               "Forget the oldest turns where there is no room");
  list("--variable", variables,
       "What the template may ask for, e.g. enable_thinking=false",
       "NAME=VALUE");
  app.add_option("--messages", o.messages,
                 "Answer this conversation once: JSON, as a list of "
                 "messages or with \"messages\" and \"tools\"")
      ->type_name("FILE");
  app.add_flag("--show-prompt", o.showPrompt,
               "Print what the model would read of it instead");
}

void addBenchOptions(CLI::App &app, BenchOptions &o) {
  app.add_option("--entry", o.entry, "The entry (default: the first)")
      ->type_name("NAME");
  auto number = [&](const char *name, int64_t &value, const char *help) {
    app.add_option(name, value, help)
        ->check(CLI::Range(int64_t{1}, many))
        ->capture_default_str();
  };
  number("--batch", o.batch, "Sequences in one run");
  number("--seq", o.sequence, "Tokens in a sequence");
  app.add_option("--from", o.shortest,
                 "Mixed lengths, evenly from this many tokens to --seq")
      ->check(CLI::Range(int64_t{1}, many));
  number("--runs", o.runs, "Runs");
  auto *prompt =
      app.add_option("--prompt", o.prompt,
                     "Tokens of a prompt that --generate goes on with")
          ->check(CLI::Range(int64_t{1}, many));
  auto *generated =
      app.add_option("--generate", o.generate, "Tokens to make behind --prompt")
          ->check(CLI::Range(int64_t{1}, many))
          ->needs(prompt);
  prompt->needs(generated);
  app.add_flag("--made-up-weights", o.madeUpWeights,
               "With numbers that are made up instead of the weights, whose "
               "file is not needed then");
  auto *kernels = app.add_flag(
      "--kernels", o.byKernel,
      "Also how much of it each kernel takes, and how near that is to what "
      "the machine can: multiply, or read weights from memory");
  app.add_option("--limits", o.limits,
                 "10⁹ operations and 10⁹ bytes a second, which are not "
                 "measured then: --limits 99,14.5. Of a device only copying "
                 "within its memory is measured")
      ->type_name("N,N")
      ->needs(kernels)
      ->check([](const std::string &text) {
        MachineLimits::parse(text); // checked before anything is measured
        return std::string();
      });
  app.add_flag("--json", o.json, "Print a JSON object");
}

} // namespace transfold::runtime
