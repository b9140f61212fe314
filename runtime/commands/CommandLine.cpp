// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/commands/CommandLine.h"

#include "runtime/Error.h"
#include "runtime/commands/CommandOptions.h"
#include "runtime/commands/Commands.h"
#include "runtime/commands/Serve.h"
#include "runtime/commands/cli/CommandWords.h"
#include "runtime/commands/cli/Interrupt.h"
#include "runtime/commands/cli/Messages.h"
#include "runtime/commands/speech/Transcribe.h"
#include "runtime/commands/text/Translate.h"
#include "runtime/files/JsonText.h"
#include "runtime/files/Temporary.h"
#include "runtime/files/input/MappedFiles.h"
#include "runtime/files/output/OutputFile.h"
#include "runtime/kernels/DeviceFailure.h"
#include "runtime/kernels/ThreadPool.h"
#include "runtime/program/call/Session.h"
#include "runtime/steps/Generator.h"

#include <CLI/CLI.hpp>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <span>
#include <unistd.h>

namespace transfold::runtime {

namespace {

/// Options with a list of integers, which ends at the first word that is not
/// one.
constexpr std::string_view numberLists[] = {"--suppress", "--eos", "--start"};

constexpr std::string_view aboutTexts =
    "Give the texts after the options, and after -- those that begin with -;\n"
    "without any, each line of standard input is a text.";

/// The command line: a command is added only if the program supports it.
class CommandLine {
public:
  CommandLine(const LoadedProgram &program, const std::string &name)
      : program(program), session(program, pool),
        application(fmt::format("{}: {}, compiled by transfold {}", name,
                                program.metadata().model,
                                program.metadata().compilerVersion),
                    name) {
    application.require_subcommand(1);
    application.failure_message(CLI::FailureMessage::simple);
    std::string examples = "Examples:\n";
    if (program.metadata().task("embed")) {
      addEmbed();
      examples +=
          fmt::format("  {0} embed \"A cat sat.\" \"A kitten was sitting.\"\n"
                      "  {0} embed --similar < sentences.txt\n",
                      name);
    }
    if (program.metadata().task("classify"))
      addClassify();
    if (program.metadata().task("tag")) {
      addTag();
      examples +=
          fmt::format("  {} tag \"Ada Lovelace lived in London.\"\n", name);
    }
    if (program.metadata().task("fill"))
      addFill();
    if (Transcriber::canHear(program.metadata())) {
      addTranscribe();
      examples += fmt::format(
          "  {0} transcribe recording.wav\n"
          "  {0} transcribe --srt --output recording.srt recording.wav\n",
          name);
    }
    if (generatingTask(program.metadata())) {
      addGenerate();
      if (!Transcriber::canHear(program.metadata()))
        examples += fmt::format(
            "  {0} generate \"Once upon a time\" --max-new 50\n"
            "  {0} generate --ids in.npy --max-new 20 --out ids.npy\n",
            name);
    }
    if (program.metadata().task("translate")) {
      addTranslate();
      examples += fmt::format("  {0} translate < sentences.txt\n", name);
    }
    if (program.metadata().task("chat")) {
      addChat();
      examples += fmt::format("  {0} chat\n", name);
    }
    if (canServe(program.metadata())) {
      addServe();
      examples += fmt::format("  {0} serve --port 8080\n", name);
    }
    addTokenize();
    addEval();
    addBench();
    addInfo();
    if (!program.tokenizerTables().empty())
      examples += fmt::format("  {} tokenize \"A cat sat.\"\n", name);
    examples += fmt::format("  {0} eval --in input_ids=ids.npy --out results\n"
                            "  {0} bench --seq 128 --threads 1\n"
                            "  {0} info",
                            name);
    application.footer(examples);
  }

  int run(std::span<const char *const> given) {
    CommandWords commandLine(given, numberLists);
    if (!commandLine.words.empty())
      needCommand(commandLine.words.front());
    readFeatures(commandLine.words);
    textsBehindDashes = std::move(commandLine.texts);
    std::ranges::reverse(commandLine.words); // the order that CLI11 expects
    try {
      application.parse(std::move(commandLine.words));
    } catch (const CLI::Success &) { // --help
      print(application.help());
      return 0;
    } catch (const CLI::ParseError &error) {
      fail("{} (see '{} --help')", error.what(), programName());
    }
    CLI::App *chosen = application.get_subcommands().front();
    if (!textsBehindDashes.empty() && !chosen->get_allow_extras())
      fail("'{}' takes no texts, but after -- there is \"{}\"",
           chosen->get_name(), textsBehindDashes.front());
    pool.setThreads(threads);
    command();
    return 0;
  }

private:
  const LoadedProgram &program;
  ThreadPool pool;
  Session session;
  CLI::App application;
  std::function<void()> command;
  std::vector<std::string> textsBehindDashes;
  unsigned threads = std::max(1u, std::thread::hardware_concurrency());
  std::string device; // evaluated before the program is loaded
  EmbedOptions embedOptions;
  RankingOptions classifyOptions, tagOptions{.top = 1}, fillOptions;
  TokenizeOptions tokenizeOptions;
  GenerateOptions generateOptions;
  TranslateOptions translateOptions;
  ChatOptions chatOptions;
  std::vector<std::string> chatVariables;
  ServeOptions serveOptions;
  TranscribeOptions transcribeOptions;
  EvalOptions evalOptions;
  BenchOptions benchOptions;
  InfoOptions infoOptions;
  bool ledgerAsJson = false;

  CLI::App *add(const std::string &name, const std::string &description,
                std::function<void()> action) {
    CLI::App *added = application.add_subcommand(name, description);
    added->callback([this, action] { command = action; });
    return added;
  }
  /// Throws Error for an unknown command; the commands depend on the model's
  /// tasks.
  void needCommand(const std::string &word) {
    std::vector<std::string> tasks, commands;
    bool isThere = word.starts_with('-');
    for (const CLI::App *command :
         application.get_subcommands([](const CLI::App *) { return true; })) {
      isThere |= command->check_name(word);
      commands.push_back(command->get_name());
    }
    if (isThere)
      return;
    for (const Task &task : program.metadata().tasks)
      tasks.push_back(task.kind);
    fail("there is no command '{}': the model has {}, and the program the "
         "commands {} (see '{} --help')",
         word,
         tasks.empty() ? "no task"
         : tasks.size() == 1
             ? "the task " + tasks[0]
             : fmt::format("the tasks {}", fmt::join(tasks, ", ")),
         fmt::join(commands, ", "), programName());
  }
  /// `transcribe --features FILE` stands for `generate`, which reads
  /// spectrograms.
  void readFeatures(std::vector<std::string> &words) {
    auto isFeatures = [](const std::string &word) {
      return word == "--features" || word.starts_with("--features=");
    };
    if (!words.empty() && words.front() == "transcribe" &&
        Transcriber::canHear(program.metadata()) &&
        std::ranges::any_of(words, isFeatures))
      words.front() = "generate";
  }
  std::vector<std::string> remainingTexts(const std::string &command) {
    std::vector<std::string> texts =
        application.get_subcommand(command)->remaining();
    for (const std::string &text : texts)
      if (text.size() > 1 && text[0] == '-')
        fail("there is no option {}; a text that begins with - must follow -- "
             "(see '{} {} --help')",
             text, programName(), command);
    texts.insert(texts.end(), textsBehindDashes.begin(),
                 textsBehindDashes.end());
    return texts;
  }
  void addThreads(CLI::App *to) {
    to->add_option("--threads", threads, "Number of threads")
        ->check(CLI::Range(1, 1024))
        ->capture_default_str();
    addDevice(to);
  }
  void addDevice(CLI::App *to) {
    if (program.devices().size() > 1)
      to->add_option(
            "--device", device,
            fmt::format("Where kernels run: {} (default: the first available); "
                        "TRANSFOLD_DEVICE sets it for all commands",
                        fmt::join(program.devices(), ", ")))
          ->type_name("NAME");
  }

  void addEmbed() {
    CLI::App *app = add("embed", "Compute embeddings of texts", [this] {
      embedOptions.texts = remainingTexts("embed");
      embed(session, embedOptions);
    });
    // Texts are the remaining words: an option of CLI11 would treat "[CLS] a, b
    // [SEP]" as a list and split it.
    app->allow_extras();
    app->footer(std::string(aboutTexts));
    auto *json = app->add_flag("--json", embedOptions.json,
                               "One JSON object per text, with its ids");
    app->add_flag("--similar", embedOptions.similar,
                  "Print which texts are similar instead of embeddings")
        ->excludes(json);
    addThreads(app);
  }
  /// Options common to the commands that print the most likely results for each
  /// text.
  void addRanking(CLI::App *app, RankingOptions &options, const char *top) {
    app->allow_extras();
    app->footer(std::string(aboutTexts));
    app->add_flag("--json", options.json, "One JSON object per text");
    app->add_option("--top", options.top, top)
        ->type_name("K")
        ->check(CLI::Range(1, 1 << 20))
        ->capture_default_str();
    addThreads(app);
  }
  void addClassify() {
    CLI::App *app = add("classify", "Classify texts", [this] {
      classifyOptions.texts = remainingTexts("classify");
      classify(session, classifyOptions);
    });
    addRanking(app, classifyOptions, "How many labels to print");
  }
  void addTag() {
    CLI::App *app = add("tag", "Classify the tokens of texts", [this] {
      tagOptions.texts = remainingTexts("tag");
      tag(session, tagOptions);
    });
    addRanking(app, tagOptions, "How many labels to print of each token");
    app->footer(
        fmt::format("{}\n"
                    "\n"
                    "Each line is a token: its place in the text, in "
                    "characters from 0, the text\n"
                    "there, its label and the probability of that. Example:\n"
                    "  {} tag \"Ada Lovelace lived in London.\"",
                    aboutTexts, programName()));
  }
  void addFill() {
    CLI::App *app = add("fill", "Fill masked tokens", [this] {
      fillOptions.texts = remainingTexts("fill");
      fill(session, fillOptions);
    });
    addRanking(app, fillOptions, "How many guesses to print");
  }
  void addTokenize() {
    TokenizeOptions &o = tokenizeOptions;
    CLI::App *app = add("tokenize", "Print the tokens of texts", [this] {
      tokenizeOptions.texts = remainingTexts("tokenize");
      tokenize(program, tokenizeOptions);
    });
    app->allow_extras();
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
    app->add_flag("--json", o.json, "One JSON object per text");
    auto *pairs = app->add_flag("--pairs", o.pairs,
                                "Tokenize consecutive texts in pairs");
    auto *decode = app->add_flag(
        "--decode", o.decode,
        "Print the text of ids; each line of standard input is a text");
    decode->excludes(pairs);
    app->add_flag("--special", o.special, "Include special tokens in that text")
        ->needs(decode);
  }
  void addGenerate() {
    CLI::App *app = add("generate", "Generate text", [this] {
      generateOptions.texts = remainingTexts("generate");
      generateOptions.isCancelled = InterruptWatch::isInterrupted;
      generate(session, generateOptions);
    });
    // The command can also be called by the name of the task.
    for (const Task &task : program.metadata().tasks)
      if (task.makesTokens() && task.kind != app->get_name() &&
          task.kind != "chat" && task.kind != "translate" && !task.speech &&
          !app->check_name(task.kind))
        app->alias(task.kind);
    app->allow_extras();
    app->footer("Give the texts after the options, and after -- those that "
                "begin with - or could be one more ID;\n"
                "without any, each line of standard input is a text.\n"
                "Without --temperature the likeliest token is always chosen.");
    addGenerateOptions(*app, generateOptions);
    addThreads(app);
  }
  void addTranscribe() {
    CLI::App *app = add("transcribe", "Transcribe recordings", [this] {
      transcribeOptions.files = remainingTexts("transcribe");
      transcribeOptions.isCancelled = InterruptWatch::isInterrupted;
      transcribe(session, transcribeOptions);
    });
    addTranscribeOptions(*app, transcribeOptions,
                         *generatingTask(program.metadata())->speech);
    addThreads(app);
  }
  void addTranslate() {
    CLI::App *app =
        add("translate", "Translate texts, or lines of a file", [this] {
          translateOptions.texts = remainingTexts("translate");
          translateOptions.isCancelled = InterruptWatch::isInterrupted;
          translate(session, translateOptions);
        });
    app->allow_extras();
    addTranslateOptions(*app, translateOptions, program.metadata());
    addThreads(app);
  }
  static nlohmann::ordered_json jsonOrText(const std::string &value) {
    try {
      return parseJsonText(value, {.depth = 90, .exactIntegers = true});
    } catch (const Error &) {
      return value;
    }
  }
  /// Parses NAME=VALUE, where the value is JSON, or otherwise a text.
  void readChatVariables() {
    for (const std::string &word : chatVariables) {
      size_t equals = word.find('=');
      if (equals == 0 || equals == word.npos)
        fail("--variable takes NAME=VALUE, such as enable_thinking=false, not "
             "'{}'",
             word);
      std::string value = word.substr(equals + 1);
      chatOptions.variables[word.substr(0, equals)] = jsonOrText(value);
    }
  }
  void addChat() {
    CLI::App *app = add("chat", "Chat, on a terminal or line by line", [this] {
      readChatVariables();
      chatOptions.isCancelled = InterruptWatch::isInterrupted;
      converse(session, chatOptions);
    });
    app->footer(
        fmt::format("On a terminal, /help lists the commands. Elsewhere each "
                    "line of standard input is\n"
                    "a turn, and only answers are printed. Without "
                    "--temperature the likeliest token is\n"
                    "always chosen. Examples:\n"
                    "  {0} chat --system \"Answer briefly.\"\n"
                    "  {0} chat --messages conversation.json --show-prompt",
                    programName()));
    addChatOptions(*app, chatOptions, chatVariables);
    addThreads(app);
  }
  void addServe() {
    CLI::App *app = add("serve", "Serve OpenAI's clients over HTTP",
                        [this] { runServer(program, pool, serveOptions); });
    if (Transcriber::canHear(program.metadata()))
      serveOptions.bodyMegabytes = 25; // OpenAI's limit for recordings
    addServeOptions(*app, serveOptions);
    addThreads(app);
  }
  void addEval() {
    CLI::App *app = add("eval", "Run on arrays from .npy files",
                        [this] { eval(session, evalOptions); });
    app->footer(fmt::format("A mask marks where padded sequences end: ones, "
                            "then zeros. Without one,\n"
                            "every position is a token. Example:\n"
                            "  {} eval --in input_ids=ids.npy --in "
                            "attention_mask=mask.npy --out results",
                            programName()));
    app->add_option("--in", evalOptions.inputs,
                    "An input, e.g. input_ids=ids.npy; its first axis is the "
                    "batch")
        ->type_name("NAME=FILE")
        ->required();
    app->add_option("--out", evalOptions.directory,
                    "Directory for one file per result")
        ->type_name("DIR")
        ->required();
    app->add_option("--entry", evalOptions.entry,
                    "Run only this entry (default: all that have their inputs)")
        ->type_name("NAME");
    app->add_option("--chunk", evalOptions.chunk,
                    "Run entries that generate in steps of this many tokens")
        ->type_name("N")
        ->check(CLI::Range(int64_t{1}, int64_t{1} << 30));
    addThreads(app);
  }
  void addBench() {
    CLI::App *app = add("bench", "Measure how long an entry takes", [this] {
      if (benchOptions.madeUpWeights)
        program.makeUpWeights();
      benchOptions.generate ? benchGenerate(session, benchOptions)
                            : bench(session, benchOptions);
    });
    addBenchOptions(*app, benchOptions);
    addThreads(app);
  }
  void addInfo() {
    CLI::App *app = add("info", "Describe the program and its model",
                        [this] { info(program, programName(), infoOptions); });
    auto *json =
        app->add_flag("--json", infoOptions.json, "Print a JSON object");
    auto *check = app->add_flag("--check", infoOptions.check,
                                "Compare the weights with their checksums");
    auto *sbom = app->add_flag("--sbom", infoOptions.sbom,
                               "Print the contents as an SPDX document")
                     ->excludes(json)
                     ->excludes(check);
    app->add_flag("--licences", infoOptions.licences,
                  "Print the licences of the contents")
        ->excludes(json)
        ->excludes(check)
        ->excludes(sbom);
    addDevice(app);
    add("spec", "Print the equations that the program was made from",
        [this] { spec(program); });
    CLI::App *entries =
        add("ledger", "Print where the constants of the equations went",
            [this] { ledger(program, ledgerAsJson); });
    entries->add_flag("--json", ledgerAsJson, "Print a JSON array");
  }
};

} // namespace

/// The value of `--device`: the program to load depends on it, and on the
/// program depend the commands and options. Only evaluated if there is a
/// choice: otherwise the commands report an unknown option.
static std::string_view deviceGiven(const transfold_program &program,
                                    std::span<char *const> words) {
  constexpr std::string_view option = "--device";
  for (size_t i = 1; program.next && i < words.size(); ++i) {
    std::string_view word = words[i];
    if (word == "--")
      break;
    if (word == option && i + 1 < words.size())
      return words[i + 1];
    if (word.starts_with(option) && word.substr(option.size()).starts_with('='))
      return word.substr(option.size() + 1);
  }
  return {};
}

int runCommandLine(const transfold_program &program, int argc, char **argv) {
  removeTemporariesOnSignals();
  if (argc > 0)
    setProgramName(std::filesystem::path(argv[0]).filename().string());
  tellOfShortenedFiles(programName());
  endOnDeviceFailure([](const std::string &reason) {
    flushPrinted();
    reportError("the device failed: " + reason);
    removeTemporariesInHandler();
    ::_exit(1);
  });
  try {
    std::span<char *const> given(argv, static_cast<size_t>(argc));
    LoadedProgram loaded(program, executablePath(),
                         deviceGiven(program, given));
    int status = CommandLine(loaded, programName())
                     .run(given.subspan(std::min<size_t>(given.size(), 1)));
    endPrinted();
    return status;
  } catch (const Cancelled &cancelled) { // by Ctrl-C
    std::fflush(stdout);
    reportError(cancelled.what());
    return InterruptWatch::exitStatus;
  } catch (const std::exception &error) {
    std::fflush(stdout); // earlier output comes before the message
    reportError(error.what());
    return 1;
  }
}

} // namespace transfold::runtime
