// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Declares the options of `generate`, `chat` and `bench`, with their ranges.

#include "runtime/commands/CommandOptions.h"

#include "runtime/commands/bench/MachineLimits.h"
#include "runtime/commands/cli/InRange.h"
#include "runtime/steps/sampling/SamplingOptions.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <charconv>

namespace transfold::runtime::inline commands {

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
  forEachSamplingField([&](const auto &field, size_t) {
    app.add_option("--" + field.word(), sampling.*field.member, field.help)
        ->check(inRange(field.range))
        ->capture_default_str();
  });
  app.add_option("--seed", sampling.seed,
                 "Seed of sampling; equal seeds give equal samples")
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
  number("--max-new", o.most, ranges::tokens, "Maximum number of new tokens");
  addSamplingOptions(app, o.sampling);
  list("--suppress", o.sampling.suppressed, "Tokens that are never chosen",
       "ID");
  list("--stop", o.stops,
       "A text that ends the result; repeat the option for more", "TEXT");
  app.add_option("--json-schema", o.jsonSchema,
                 "A JSON Schema that the result follows")
      ->type_name("FILE");
  app.add_option("--grammar", o.grammar,
                 "A grammar that the result follows, in Lark's syntax")
      ->type_name("FILE");
  app.add_option("--regex", o.regex,
                 "A regular expression that the result matches")
      ->type_name("REGEX");
  list("--eos", o.ends, "Tokens that end the result (default: the model's)",
       "ID");
  app.add_flag("--ignore-eos", o.ignoreEnd, "Let no token end the result");
  list("--start", o.start,
       "Tokens that a translation begins with (default: the model's)", "ID");
  number("--beams", o.beams, ranges::beams, "Beam search with this many beams");
  number("--length-penalty", o.lengthPenalty, ranges::lengthPenalty,
         "For beams: values above 0 favor long results");
  app.add_flag("--early-stopping", o.earlyStopping,
               "For beams: stop when as many results as beams have ended");
  number("--chunk", o.chunk, ranges::tokens,
         "Tokens of a prompt that are processed at once");
  auto *ids =
      app.add_option("--ids", o.ids, "Ids [batch, tokens] instead of texts")
          ->type_name("FILE");
  app.add_option("--mask", o.mask,
                 "Mask of the ids: 1 for tokens, 0 for padding")
      ->type_name("FILE")
      ->needs(ids);
  app.add_option("--features", o.features,
                 "Input of the encoder instead of texts")
      ->type_name("FILE");
  app.add_option("--out", o.output,
                 "Output file for ids, the given and the new")
      ->type_name("FILE");
  app.add_option(
         "--scores", o.scores,
         "Output file for scores: of beams, or log probabilities of new tokens")
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
  app.add_option("--system", o.system, "Text of the system message")
      ->type_name("TEXT");
  app.add_option("--max-tokens,--max-new", o.most,
                 "Maximum number of tokens of an answer (0: 8192)")
      ->check(CLI::Range(int64_t{0}, many))
      ->capture_default_str();
  addSamplingOptions(app, o.sampling);
  list("--stop", o.stops,
       "A text that ends an answer; repeat the option for more", "TEXT");
  app.add_option("--context", o.context,
                 "Context length in tokens (default: the model's)")
      ->check(CLI::Range(int64_t{2}, many));
  app.add_flag("--drop-oldest", o.dropOldest,
               "Drop the oldest turns when the context is full");
  list("--variable", variables,
       "A variable of the template, e.g. enable_thinking=false", "NAME=VALUE");
  app.add_option("--messages", o.messages,
                 "Answer this conversation once: JSON, as a list of "
                 "messages or with \"messages\" and \"tools\"")
      ->type_name("FILE");
  app.add_flag("--show-prompt", o.showPrompt,
               "Print the prompt of that conversation instead");
}

void addBenchOptions(CLI::App &app, BenchOptions &o) {
  app.add_option("--entry", o.entry, "The entry (default: the first)")
      ->type_name("NAME");
  auto number = [&](const char *name, int64_t &value, const char *help) {
    app.add_option(name, value, help)
        ->check(CLI::Range(int64_t{1}, many))
        ->capture_default_str();
  };
  number("--batch", o.batch, "Sequences per run");
  number("--seq", o.sequence, "Tokens per sequence");
  app.add_option("--from", o.shortest,
                 "Mixed lengths, evenly from this many tokens to --seq")
      ->check(CLI::Range(int64_t{1}, many));
  number("--runs", o.runs, "Runs");
  auto *prompt =
      app.add_option("--prompt", o.prompt,
                     "Tokens of the prompt that --generate continues")
          ->check(CLI::Range(int64_t{1}, many));
  auto *generated = app.add_option("--generate", o.generate,
                                   "Tokens to generate after --prompt")
                        ->check(CLI::Range(int64_t{1}, many))
                        ->needs(prompt);
  prompt->needs(generated);
  app.add_flag("--made-up-weights", o.madeUpWeights,
               "Use made-up values instead of the weights, whose file is not "
               "needed then");
  auto *kernels = app.add_flag(
      "--kernels", o.byKernel,
      "Also print the time of each kernel, and its share of the machine's "
      "limit: to multiply, or to read weights from memory");
  app.add_option("--limits", o.limits,
                 "Limits of the machine, 10⁹ operations and 10⁹ bytes a "
                 "second, instead of measured ones: --limits 99,14.5; a third "
                 "number is that of operations in bfloat16. On a device, only "
                 "copying within its memory is measured")
      ->type_name("N,N")
      ->needs(kernels)
      ->check([](const std::string &text) {
        MachineLimits::parse(text); // checked before anything is measured
        return std::string();
      });
  app.add_flag("--json", o.json, "Print a JSON object");
}

} // namespace transfold::runtime::inline commands
