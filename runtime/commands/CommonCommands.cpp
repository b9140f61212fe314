// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Declares the commands for tokens, arrays and measurements, and those that
// describe the program.

#include "runtime/commands/CommonCommands.h"

#include "base/Error.h"
#include "base/text/Messages.h"
#include "runtime/commands/CommandOptions.h"
#include "runtime/commands/Commands.h"

#include <fmt/format.h>

namespace transfold::runtime::inline commands {

static void addTokenize(CommandSet &commands) {
  auto options = std::make_shared<TokenizeOptions>();
  CLI::App *app = commands.addForTexts("tokenize", "Print the tokens of texts",
                                       options, options->texts, tokenize);
  app->footer(fmt::format(
      "{0}\n"
      "\n"
      "Each line is a token: its id, its place in the text, in characters "
      "from 0 (none\n"
      "for tokens that are added around it), and the token itself. No text "
      "is truncated.\n"
      "Examples:\n"
      "  {1} tokenize \"A cat sat.\"\n"
      "  {1} tokenize --pairs \"Who sat there?\" \"A cat sat there.\"\n"
      "  {1} tokenize --decode 101 1037 4937 102",
      aboutTexts, programName()));
  app->add_flag("--json", options->json, "One JSON object per text");
  auto *pairs = app->add_flag("--pairs", options->pairs,
                              "Tokenize consecutive texts in pairs");
  auto *decode = app->add_flag(
      "--decode", options->decode,
      "Print the text of ids; each line of standard input is a text");
  decode->excludes(pairs);
  app->add_flag("--special", options->special,
                "Include special tokens in that text")
      ->needs(decode);
}

static void addEval(CommandSet &commands) {
  auto options = std::make_shared<EvalOptions>();
  CLI::App *app = commands.add(
      "eval", "Run on arrays from .npy files",
      [&commands, options] { eval(commands.session(), *options); });
  app->footer(fmt::format("A mask marks where padded sequences end: ones, "
                          "then zeros. Without one,\n"
                          "every position is a token. Example:\n"
                          "  {} eval --in input_ids=ids.npy --in "
                          "attention_mask=mask.npy --out results",
                          programName()));
  app->add_option("--in", options->inputs,
                  "An input, e.g. input_ids=ids.npy; its first axis is the "
                  "batch")
      ->type_name("NAME=FILE")
      ->required();
  app->add_option("--out", options->directory,
                  "Directory for one file per result")
      ->type_name("DIR")
      ->required();
  app->add_option("--entry", options->entry,
                  "Run only this entry (default: all that have their inputs)")
      ->type_name("NAME");
  app->add_option("--chunk", options->chunk,
                  "Run entries that generate in steps of this many tokens")
      ->type_name("N")
      ->check(CLI::Range(int64_t{1}, int64_t{1} << 30));
  commands.addThreads(app);
}

/// The function that measures generation. Throws Error if no part of the
/// program has one, because its model does not generate tokens.
static auto generationBench(std::span<const ProgramPart *const> parts) {
  for (const ProgramPart *part : parts)
    if (part->benchGenerate)
      return part->benchGenerate;
  fail("this program has no task that generates tokens");
}

static void addBench(CommandSet &commands,
                     std::span<const ProgramPart *const> parts) {
  auto options = std::make_shared<BenchOptions>();
  CLI::App *app = commands.add(
      "bench", "Measure how long an entry takes", [&commands, options, parts] {
        if (options->madeUpWeights)
          commands.program().makeUpWeights();
        auto *measure = options->generate ? generationBench(parts) : bench;
        measure(commands.session(), *options);
      });
  addBenchOptions(*app, *options);
  commands.addThreads(app);
}

static void addProveBits(CommandSet &commands) {
  auto options = std::make_shared<ProveBitsOptions>();
  CLI::App *app = commands.add(
      "prove-bits",
      "Compare results alone, in batches, in steps and on several threads",
      [&commands, options] { proveBits(commands.program(), *options); });
  app->footer(fmt::format(
      "Requests are generated. Each is computed alone on one thread, and then "
      "again in\n"
      "random batches, in steps of random numbers of tokens, and on 1, 2, 3 "
      "and "
      "all\n"
      "threads. The exit status is 1 if a bit differs. The hash is that of all "
      "results;\n"
      "it differs between kinds of processors. Example:\n"
      "  {} prove-bits --requests 100 --batches 1000",
      programName()));
  auto number = [&](const char *name, int64_t &value, const char *help) {
    app->add_option(name, value, help)
        ->check(CLI::Range(int64_t{1}, int64_t{1} << 20))
        ->capture_default_str();
  };
  number("--requests", options->requests, "Requests for each entry");
  number("--batches", options->batches, "Random batches for each entry");
  number("--longest", options->longest, "Positions of the longest request");
  commands.addDevice(app);
}

static void addInfo(CommandSet &commands) {
  auto options = std::make_shared<InfoOptions>();
  CLI::App *app = commands.add(
      "info", "Describe the program and its model", [&commands, options] {
        info(commands.program(), programName(), *options);
      });
  auto *json = app->add_flag("--json", options->json, "Print a JSON object");
  auto *check = app->add_flag("--check", options->check,
                              "Compare the weights with their checksums");
  auto *sbom = app->add_flag("--sbom", options->sbom,
                             "Print the contents as an SPDX document")
                   ->excludes(json)
                   ->excludes(check);
  app->add_flag("--licences", options->licences,
                "Print the licences of the contents")
      ->excludes(json)
      ->excludes(check)
      ->excludes(sbom);
  commands.addDevice(app);
}

static void addSources(CommandSet &commands) {
  commands.add("spec", "Print the equations that the program was made from",
               [&commands] { spec(commands.program()); });
  auto asJson = std::make_shared<bool>(false);
  commands
      .add("ledger", "Print where the constants of the equations went",
           [&commands, asJson] { ledger(commands.program(), *asJson); })
      ->add_flag("--json", *asJson, "Print a JSON array");
}

void addCommonCommands(CommandSet &commands,
                       std::span<const ProgramPart *const> parts) {
  addTokenize(commands);
  addEval(commands);
  addBench(commands, parts);
  addProveBits(commands);
  addInfo(commands);
  addSources(commands);
  if (!commands.program().tokenizerTables().empty())
    commands.addExample("tokenize \"A cat sat.\"");
  commands.addExample("eval --in input_ids=ids.npy --out results");
  commands.addExample("bench --seq 128 --threads 1");
  commands.addExample("info");
}

} // namespace transfold::runtime::inline commands
