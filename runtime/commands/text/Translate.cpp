// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The command `translate`: one sentence per line. Lines of similar length are
// translated together, and printed in the input order.

#include "runtime/commands/text/Translate.h"

#include "base/Error.h"
#include "base/NonCopyable.h"
#include "base/files/output/OutputFile.h"
#include "base/text/Messages.h"
#include "runtime/commands/cli/InRange.h"
#include "runtime/commands/cli/Interrupt.h"
#include "runtime/commands/cli/Texts.h"

#include <CLI/CLI.hpp>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdio>
#include <numeric>
#include <unistd.h>

namespace transfold::runtime::inline commands {

namespace {

/// Number of batches that are read before they are sorted by length.
constexpr size_t batchesAtOnce = 32;

/// Shows the progress on a terminal if the output goes elsewhere.
class Counter : NonCopyable {
public:
  explicit Counter(bool isWanted) : isWanted(isWanted) {}
  ~Counter() { clear(); }

  void add(size_t more) {
    count += more;
    if (isShown())
      std::fputs(fmt::format("\r{} lines translated", count).c_str(), stderr);
  }
  void clear() const {
    if (isShown())
      std::fputs("\r\033[K", stderr);
  }

private:
  bool isWanted;
  size_t count = 0;

  /// No progress is shown for few lines, which are done quickly.
  bool isShown() const { return isWanted && count >= 100; }
};

/// Collects lines that are translated together.
class Lines {
public:
  Lines(Translator &translator, const TranslateOptions &options,
        Counter &counter)
      : translator(translator), options(options), counter(counter) {}

  void add(std::string text, size_t number) {
    std::vector<int32_t> source = translator.sourceOf(text);
    lines.push_back({std::move(text), std::move(source), number, {}});
  }
  bool isFull() const {
    return lines.size() >= batchesAtOnce * static_cast<size_t>(options.batch);
  }

  /// Translates and prints all collected lines.
  void finish() {
    // Blank lines stay blank.
    std::vector<size_t> order;
    for (size_t i = 0; i < lines.size(); ++i)
      if (!lines[i].source.empty())
        order.push_back(i);
    std::ranges::sort(order, {}, [&](size_t i) {
      return std::pair(lines[i].source.size(), i);
    });
    for (size_t begin = 0; begin < order.size();) {
      size_t size =
          std::min(static_cast<size_t>(options.batch), order.size() - begin);
      translateBatch(std::span(order).subspan(begin, size));
      begin += size;
    }
    counter.clear();
    for (const Line &line : lines)
      printLine(line);
    flushPrinted();
    lines.clear();
  }

private:
  /// A line of the input with its tokens, its number and its translation.
  struct Line {
    std::string text;
    std::vector<int32_t> source;
    size_t number;
    Translation translation;
  };
  Translator &translator;
  const TranslateOptions &options;
  Counter &counter;
  std::vector<Line> lines;

  /// Translates some of the collected lines, given by their indices.
  void translateBatch(std::span<const size_t> batch) {
    std::vector<std::vector<int32_t>> sources;
    for (size_t i : batch)
      sources.push_back(lines[i].source);
    std::vector<Translation> results = translator.translate(sources);
    for (size_t k = 0; k < batch.size(); ++k)
      lines[batch[k]].translation = std::move(results[k]);
    counter.add(batch.size());
  }

  void printLine(const Line &line) const {
    const Translation &translation = line.translation;
    if (!translation.hasEnd)
      warn(fmt::format("text {}: its translation does not end within {} "
                       "tokens; {}",
                       line.number, translation.ids.size(),
                       static_cast<int64_t>(translation.ids.size()) <
                               options.most
                           ? "the model has no room for more"
                           : "--max-new allows more"));
    if (!options.json) {
      // Each line of output belongs to one line of input.
      std::string text = translation.text;
      std::ranges::replace(text, '\n', ' ');
      return print(text + "\n");
    }
    auto quoted = [](const std::string &text) {
      return nlohmann::ordered_json(text).dump();
    };
    print(
        fmt::format("{{\"text\": {}, \"translation\": {}, \"ids\": [{}]{}}}\n",
                    quoted(line.text), quoted(translation.text),
                    fmt::join(translation.ids, ", "),
                    options.beams > 1 && !line.source.empty()
                        ? fmt::format(", \"score\": {}", translation.score)
                        : ""));
  }
};

} // namespace

void addTranslateOptions(CLI::App &app, TranslateOptions &options,
                         const Metadata &metadata) {
  const Languages languages(*metadata.task("translate"));
  app.footer(fmt::format(
      "Each line of standard input is a sentence, an empty one stays empty; or "
      "give texts after\n"
      "the options, and after -- those that begin with -. Without --beams the "
      "likeliest token is\n"
      "always chosen, whatever the model's files say. Examples:\n"
      "  {0} translate{1} < sentences.txt\n"
      "  {0} translate{1} --beams 4 --json \"A cat sat on the mat.\"{2}",
      programName(), languages.empty() ? "" : " --to CODE",
      languages.empty() ? "" : "\nLanguages: " + languages.some()));
  app.add_option("--from", options.from,
                 "The language of the texts, if the model reads several")
      ->type_name("CODE");
  app.add_option("--to", options.to,
                 "The language to translate into, if the model writes several")
      ->type_name("CODE");
  auto number = [&](const char *name, auto &value, auto range,
                    const char *help) {
    app.add_option(name, value, help)
        ->check(inRange(range))
        ->capture_default_str();
  };
  number("--beams", options.beams, ranges::beams,
         "Beam search with this many beams");
  number("--length-penalty", options.lengthPenalty, ranges::lengthPenalty,
         "For beams: values above 0 favor long translations");
  number("--batch", options.batch, NumberRange<int64_t>{1, 4096},
         "Lines that are translated together; with beams, one after the other");
  number("--max-new", options.most, ranges::tokens,
         "Maximum number of tokens of a translation");
  app.add_flag("--json", options.json,
               "One JSON object per text, with the ids of its translation");
}

void translate(Session &session, const TranslateOptions &options) {
  Translator translator(session, options);
  bool reads = options.texts.empty();
  // Typed lines are answered at once; no progress is shown if the user sees the
  // answers.
  bool isTyped = reads && ::isatty(STDIN_FILENO);
  Counter counter(reads && !isTyped && ::isatty(STDERR_FILENO) &&
                  !::isatty(STDOUT_FILENO));
  Lines lines(translator, options, counter);
  InterruptWatch watch;
  forEachText(
      options.texts,
      [&](const std::string &text, size_t number) { lines.add(text, number); },
      [&] {
        if (isTyped || lines.isFull())
          lines.finish();
      });
  lines.finish();
}

} // namespace transfold::runtime::inline commands
