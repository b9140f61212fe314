// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The options of tune.

#include "compiler/driver/commands/Commands.h"

#include <CLI/CLI.hpp>

using namespace transfold;
using namespace transfold::driver;

static void addWorkload(CLI::App *command, Workload &workload) {
  auto number = [&](const char *name, int64_t &value, const char *help) {
    return command->add_option(name, value, help)
        ->check(CLI::Range(int64_t{1}, int64_t{1} << 30))
        ->option_text("N");
  };
  command->add_option("--entry", workload.entry, "The entry to measure")
      ->option_text("NAME");
  number("--batch", workload.batch, "Sequences per run");
  number("--seq", workload.sequence, "Tokens per sequence");
  number("--from", workload.shortest,
         "Mixed lengths, evenly from this many tokens to --seq");
  auto *prompt = number("--prompt", workload.prompt,
                        "Tokens of the prompt that --generate continues");
  auto *generate = number("--generate", workload.generate,
                          "Tokens to generate after --prompt");
  prompt->needs(generate);
  generate->needs(prompt);
  number("--threads", workload.threads,
         "Threads of the measured program (default: all cores)");
}

void driver::addTune(CLI::App &app, TuneOptions &tune) {
  CLI::App *command = app.add_subcommand(
      "tune", "Measures other schedules of a model's kernels on this machine, "
              "and saves those that are faster");
  command->add_option("MODEL", tune.compile.model, modelHelp)->required();
  command
      ->add_option("-o,--out", tune.output,
                   "Output file, for compile --schedules")
      ->required()
      ->option_text("FILE");
  command->add_option("--spec", tune.compile.spec, "The equations");
  command->add_option(
      "--target", tune.compile.target,
      "The processor: this one, or one that it is compatible with (avx2)");
  addWorkload(command, tune.workload);
  command
      ->add_option("--seconds", tune.seconds,
                   "Time budget of the search in seconds (default: 120)")
      ->check(CLI::PositiveNumber)
      ->option_text("S");
  command->add_option("-j,--jobs", tune.compile.threads,
                      "Kernels built in parallel (default: all cores)");
  addFoldOptions(command, tune.compile.fold);
  command->add_flag("-q,--quiet", tune.compile.quiet, "Print no progress");
  command->footer(
      "The default run of PROGRAM bench is measured, or a prompt of 128 tokens "
      "and 16 more;\n"
      "each schedule has a turn in every round. A schedule is kept if it takes "
      "3 % less time\n"
      "in its kernel and wins four rounds of five, twice; no file is written "
      "unless the\n"
      "program as a whole is faster. Results stay the same to the bit.\n"
      "Examples:\n"
      "  transfold tune DIR -o minilm.json --seq 128 --threads 1\n"
      "  transfold compile DIR -o minilm --schedules=minilm.json\n"
      "  transfold tune FILE.gguf -o own.json --products=int8 --prompt 128 "
      "--generate 16");
}
