// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The part of programs that read texts: `embed`, `classify`, `rerank`, `tag`
// and `fill`, and the endpoints for embeddings and for reranking.

#include "base/text/Messages.h"
#include "runtime/commands/Commands.h"
#include "runtime/commands/ProgramParts.h"
#include "runtime/serve/Endpoints.h"
#include "runtime/tasks/text/SingleScore.h"

#include <fmt/format.h>

namespace transfold::runtime::inline commands {

static void addEmbed(CommandSet &commands) {
  auto options = std::make_shared<EmbedOptions>();
  CLI::App *app = commands.addForTexts("embed", "Compute embeddings of texts",
                                       options, options->texts, embed);
  app->footer(std::string(aboutTexts));
  auto *json = app->add_flag("--json", options->json,
                             "One JSON object per text, with its ids");
  app->add_flag("--similar", options->similar,
                "Print which texts are similar instead of embeddings")
      ->excludes(json);
  commands.addThreads(app);
  commands.addExample("embed \"A cat sat.\" \"A kitten was sitting.\"");
  commands.addExample("embed --similar < sentences.txt");
}

/// Declares a command that prints the most likely results for each text; `help`
/// describes their number.
static CLI::App *addRanking(CommandSet &commands, const char *name,
                            const char *description, const char *help,
                            const RankingOptions &defaults,
                            void (*run)(Session &, const RankingOptions &)) {
  auto options = std::make_shared<RankingOptions>(defaults);
  CLI::App *app =
      commands.addForTexts(name, description, options, options->texts, run);
  app->footer(std::string(aboutTexts));
  app->add_flag("--json", options->json, "One JSON object per text");
  app->add_option("--top", options->top, help)
      ->type_name("K")
      ->check(CLI::Range(1, 1 << 20))
      ->capture_default_str();
  commands.addThreads(app);
  return app;
}

static void addTag(CommandSet &commands) {
  addRanking(commands, "tag", "Classify the tokens of texts",
             "How many labels to print of each token", {.top = 1}, tag)
      ->footer(fmt::format("{}\n"
                           "\n"
                           "Each line is a token: its place in the text, in "
                           "characters from 0, the text\n"
                           "there, its label and the probability of that. "
                           "Example:\n"
                           "  {} tag \"Ada Lovelace lived in London.\"",
                           aboutTexts, programName()));
  commands.addExample("tag \"Ada Lovelace lived in London.\"");
}

static void addRerank(CommandSet &commands) {
  auto options = std::make_shared<RerankOptions>();
  CLI::App *app = commands.addForTexts(
      "rerank", "Order documents by their relevance to a query", options,
      options->texts, rerank);
  app->footer("Give the query, then documents; without documents each line of "
              "standard input is one.\n"
              "Each line printed is a score and a document, the most relevant "
              "first.");
  app->add_flag("--json", options->json, "One JSON object per document");
  app->add_option("--top", options->top, "How many documents to print (0: all)")
      ->type_name("K")
      ->check(CLI::Range(0, 1 << 20))
      ->capture_default_str();
  commands.addThreads(app);
  commands.addExample("rerank \"What do cats eat?\" \"Cats eat mice.\" "
                      "\"Dogs bark.\"");
  commands.addExample("rerank \"What do cats eat?\" --top 3 < documents.txt");
}

static void addTextCommands(CommandSet &commands) {
  if (commands.metadata().task("embed"))
    addEmbed(commands);
  if (commands.metadata().task("classify"))
    addRanking(commands, "classify", "Classify texts",
               "How many labels to print", {}, classify);
  if (canRerank(commands.metadata()))
    addRerank(commands);
  if (commands.metadata().task("tag"))
    addTag(commands);
  if (commands.metadata().task("fill"))
    addRanking(commands, "fill", "Fill masked tokens",
               "How many guesses to print", {}, fill);
}

static std::unique_ptr<serve::Endpoint>
makeEndpoint(const serve::ServedProgram &served) {
  if (served.program.metadata().task("embed"))
    return serve::makeEmbeddings(served);
  if (canRerank(served.program.metadata()))
    return serve::makeReranking(served);
  return nullptr;
}

} // namespace transfold::runtime::inline commands

using namespace transfold::runtime;

extern "C" const ProgramPart transfold_part_texts = {addTextCommands,
                                                     makeEndpoint};
