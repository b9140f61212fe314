// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The main program of every compiled model.

#include "runtime/Commands.h"
#include "runtime/Error.h"
#include "runtime/Generator.h"
#include "runtime/Messages.h"
#include "runtime/OutputFile.h"
#include "runtime/Session.h"
#include "runtime/ThreadPool.h"

#include <CLI/CLI.hpp>

#include <cstdio>
#include <filesystem>

using namespace transfold::runtime;

namespace {

/// The command line: each command is added where the program can do it.
class CommandLine {
public:
  CommandLine(Session &session, const std::string &name)
      : session(session),
        application(fmt::format("{}: {}, compiled by transfold {}", name,
                                session.metadata().model,
                                session.metadata().compilerVersion),
                    name) {
    application.require_subcommand(1);
    application.failure_message(CLI::FailureMessage::simple);
    std::string examples = "Examples:\n";
    if (session.metadata().task("embed")) {
      addEmbed();
      examples +=
          fmt::format("  {0} embed \"A cat sat.\" \"A kitten was sitting.\"\n"
                      "  {0} embed --similar < sentences.txt\n",
                      name);
    }
    if (session.metadata().task("classify"))
      addClassify();
    if (session.metadata().task("fill"))
      addFill();
    if (generatingTask(session.metadata())) {
      addGenerate();
      examples += fmt::format(
          "  {0} generate \"Once upon a time\" --max-new 50\n"
          "  {0} generate --ids in.npy --max-new 20 --out ids.npy\n",
          name);
    }
    addEval();
    addBench();
    addInfo();
    examples += fmt::format("  {0} eval --in input_ids=ids.npy --out results\n"
                            "  {0} bench --seq 128 --threads 1\n"
                            "  {0} info",
                            name);
    application.footer(examples);
  }

  int run(int argc, char **argv) {
    try {
      application.parse(argc, argv);
    } catch (const CLI::Success &) { // --help
      print(application.help());
      return 0;
    } catch (const CLI::ParseError &error) {
      fail("{} (see '{} --help')", error.what(), programName());
    }
    ThreadPool::global().setThreads(threads);
    command();
    return 0;
  }

private:
  Session &session;
  CLI::App application;
  std::function<void()> command;
  unsigned threads = std::max(1u, std::thread::hardware_concurrency());
  EmbedOptions embedOptions;
  ClassifyOptions classifyOptions;
  FillOptions fillOptions;
  GenerateOptions generateOptions;
  EvalOptions evalOptions;
  BenchOptions benchOptions;
  bool infoAsJson = false, ledgerAsJson = false;

  CLI::App *add(const std::string &name, const std::string &description,
                std::function<void()> action) {
    CLI::App *added = application.add_subcommand(name, description);
    added->callback([this, action] { command = action; });
    return added;
  }
  std::vector<std::string> remainingTexts(const std::string &command) {
    std::vector<std::string> texts =
        application.get_subcommand(command)->remaining();
    for (const std::string &text : texts)
      if (text.size() > 1 && text[0] == '-')
        fail("there is no option {} (see '{} {} --help')", text, programName(),
             command);
    return texts;
  }
  void addThreads(CLI::App *to) {
    to->add_option("--threads", threads, "Threads that compute")
        ->check(CLI::Range(1, 1024))
        ->capture_default_str();
  }

  void addEmbed() {
    CLI::App *app = add("embed", "Turn texts into vectors", [this] {
      embedOptions.texts = remainingTexts("embed");
      embed(session, embedOptions);
    });
    // Texts are what is left over: an option of CLI11 would take
    // "[CLS] a, b [SEP]" for a list and split it.
    app->allow_extras();
    app->footer("Give the texts behind the options; without any, a text per "
                "line of standard input\n(there a text may begin with -).");
    auto *json = app->add_flag("--json", embedOptions.json,
                               "One JSON object per text, with its ids");
    app->add_flag("--similar", embedOptions.similar,
                  "Print which texts are alike instead of numbers")
        ->excludes(json);
    addThreads(app);
  }
  /// What the commands have in common that print the likeliest for each text.
  template <typename Options>
  void addRanking(CLI::App *app, Options &options, const char *top) {
    app->allow_extras();
    app->footer("Give the texts behind the options; without any, a text per "
                "line of standard input\n(there a text may begin with -).");
    app->add_flag("--json", options.json, "One JSON object per text");
    app->add_option("--top", options.top, top)
        ->type_name("K")
        ->check(CLI::Range(1, 1 << 20))
        ->capture_default_str();
    addThreads(app);
  }
  void addClassify() {
    CLI::App *app = add("classify", "Tell which labels texts have", [this] {
      classifyOptions.texts = remainingTexts("classify");
      classify(session, classifyOptions);
    });
    addRanking(app, classifyOptions, "How many labels to print");
  }
  void addFill() {
    CLI::App *app = add("fill", "Guess what the mask token stands for", [this] {
      fillOptions.texts = remainingTexts("fill");
      fill(session, fillOptions);
    });
    addRanking(app, fillOptions, "How many guesses to print");
  }
  void addGenerate() {
    GenerateOptions &o = generateOptions;
    CLI::App *app =
        add("generate", "Go on with texts, or translate them", [this] {
          generateOptions.texts = remainingTexts("generate");
          generate(session, generateOptions);
        });
    app->allow_extras();
    app->footer(
        "Give the texts behind the options; without any, a text per line of "
        "standard input.\nWithout --temperature the likeliest token is taken, "
        "always.");
    auto number = [&](const char *name, auto &value, auto least, auto most,
                      const char *help) {
      app->add_option(name, value, help)
          ->check(CLI::Range(least, most))
          ->capture_default_str();
    };
    constexpr int64_t many = int64_t{1} << 30;
    number("--max-new", o.most, int64_t{1}, many, "New tokens at most");
    number("--temperature", o.sampling.temperature, 0.0, 100.0,
           "Draw tokens; the higher, the more surprising");
    number("--top-k", o.sampling.topK, int64_t{0}, many,
           "Draw from the K likeliest (0: all)");
    number("--top-p", o.sampling.topP, 0.0, 1.0,
           "Draw from the likeliest that make up P together");
    number("--min-p", o.sampling.minP, 0.0, 1.0,
           "Draw from those at least P times as likely as the first");
    number("--repetition-penalty", o.sampling.repetitionPenalty, 0.01, 100.0,
           "Make tokens that were there less likely");
    app->add_option("--seed", o.sampling.seed, "Equal seeds draw equally")
        ->capture_default_str();
    app->add_option("--suppress", o.sampling.suppressed, "Tokens never taken")
        ->type_name("ID");
    app->add_option("--stop", o.stops, "Texts that end the result")
        ->type_name("TEXT");
    app->add_option("--eos", o.ends,
                    "Tokens that end it (default: the model's)")
        ->type_name("ID");
    app->add_flag("--ignore-eos", o.ignoreEnd, "No token ends it");
    app->add_option("--start", o.start,
                    "Tokens that a translation begins with (default: the "
                    "model's)")
        ->type_name("ID");
    number("--beams", o.beams, int64_t{1}, int64_t{1024},
           "Search that many continuations at a time");
    number("--length-penalty", o.lengthPenalty, -100.0, 100.0,
           "Of beams: above 0 favours long ones");
    app->add_flag("--early-stopping", o.earlyStopping,
                  "Of beams: stop when as many have ended");
    number("--chunk", o.chunk, int64_t{1}, many,
           "Tokens of a prompt that are read at once");
    auto *ids =
        app->add_option("--ids", o.ids, "Ids [batch, tokens], not texts")
            ->type_name("FILE");
    app->add_option("--mask", o.mask, "Which of the ids are there")
        ->type_name("FILE")
        ->needs(ids);
    app->add_option("--features", o.features,
                    "What the encoder reads, not texts")
        ->type_name("FILE");
    app->add_option("--out", o.output, "Ids, the given and the new")
        ->type_name("FILE");
    app->add_option("--scores", o.scores,
                    "Of beams their scores, else each new token's log "
                    "probability")
        ->type_name("FILE");
    addThreads(app);
  }
  void addEval() {
    CLI::App *app = add("eval", "Run on arrays from .npy files",
                        [this] { eval(session, evalOptions); });
    app->add_option("--in", evalOptions.inputs,
                    "An input, e.g. input_ids=ids.npy; its first axis is the "
                    "batch")
        ->type_name("NAME=FILE")
        ->required();
    app->add_option("--out", evalOptions.directory,
                    "Directory for a file per result")
        ->type_name("DIR")
        ->required();
    app->add_option("--entry", evalOptions.entry,
                    "Run only this entry (default: all that have their inputs)")
        ->type_name("NAME");
    app->add_option("--chunk", evalOptions.chunk,
                    "Run what generates in steps of so many tokens")
        ->type_name("N")
        ->check(CLI::Range(int64_t{1}, int64_t{1} << 30));
    addThreads(app);
  }
  void addBench() {
    CLI::App *app = add("bench", "Measure how long an entry takes", [this] {
      benchOptions.generate ? benchGenerate(session, benchOptions)
                            : bench(session, benchOptions);
    });
    app->add_option("--entry", benchOptions.entry,
                    "The entry (default: the first)")
        ->type_name("NAME");
    auto number = [&](const char *name, int64_t &value, const char *help) {
      app->add_option(name, value, help)
          ->check(CLI::Range(int64_t{1}, int64_t{1} << 30))
          ->capture_default_str();
    };
    number("--batch", benchOptions.batch, "Sequences in one run");
    number("--seq", benchOptions.sequence, "Tokens in a sequence");
    app->add_option("--from", benchOptions.shortest,
                    "Mixed lengths, evenly from this many tokens to --seq")
        ->check(CLI::Range(int64_t{1}, int64_t{1} << 30));
    number("--runs", benchOptions.runs, "Runs");
    auto *prompt =
        app->add_option("--prompt", benchOptions.prompt,
                        "Tokens of a prompt that --generate goes on with")
            ->check(CLI::Range(int64_t{1}, int64_t{1} << 30));
    auto *generated = app->add_option("--generate", benchOptions.generate,
                                      "Tokens to make behind --prompt")
                          ->check(CLI::Range(int64_t{1}, int64_t{1} << 30))
                          ->needs(prompt);
    prompt->needs(generated);
    app->add_flag("--kernels", benchOptions.byKernel,
                  "Also how much of it each kernel takes");
    app->add_flag("--json", benchOptions.json, "Print a JSON object");
    addThreads(app);
  }
  void addInfo() {
    CLI::App *app = add("info", "Print what the program was made from",
                        [this] { info(session, programName(), infoAsJson); });
    app->add_flag("--json", infoAsJson, "Print a JSON object");
    add("spec", "Print the equations that the program was made from",
        [this] { spec(session); });
    CLI::App *entries =
        add("ledger", "Print where the constants of the equations went",
            [this] { ledger(session, ledgerAsJson); });
    entries->add_flag("--json", ledgerAsJson, "Print a JSON array");
  }
};

} // namespace

int main(int argc, char **argv) {
  if (argc > 0)
    setProgramName(std::filesystem::path(argv[0]).filename().string());
  try {
    Session session(transfold_program_data, executablePath());
    int status = CommandLine(session, programName()).run(argc, argv);
    flushPrinted();
    return status;
  } catch (const std::exception &error) {
    std::fflush(stdout); // what was printed before comes before the message
    reportError(error.what());
    return 1;
  }
}
