// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The command `rerank`: documents in the order of their relevance to a query.

#include "base/Error.h"
#include "base/files/output/OutputFile.h"
#include "base/text/Messages.h"
#include "runtime/commands/Commands.h"
#include "runtime/commands/cli/Texts.h"
#include "runtime/tasks/text/Reranker.h"

#include <nlohmann/json.hpp>

namespace transfold::runtime::inline commands {

/// The documents of the options, or the lines of standard input.
static std::vector<std::string> documentsOf(const RerankOptions &options) {
  std::vector<std::string> documents;
  forEachText(
      {options.texts.begin() + 1, options.texts.end()},
      [&](const std::string &text, size_t) { documents.push_back(text); });
  if (documents.empty())
    fail("there is no document: give them after the query, or as lines of "
         "standard input");
  return documents;
}

void rerank(Session &session, const RerankOptions &options) {
  if (options.texts.empty())
    fail("there is no query: rerank QUERY DOCUMENT …");
  Reranker reranker(session);
  const std::vector<std::string> documents = documentsOf(options);
  auto ranked = reranker.run(options.texts.front(), documents);
  for (const Reranker::Ranked &each : ranked)
    if (each.cut)
      warn(fmt::format("document {}: {} tokens of the query or of the document "
                       "are ignored, since the model reads fewer",
                       each.document + 1, each.cut));
  if (options.top && options.top < ranked.size())
    ranked.resize(options.top);
  for (const Reranker::Ranked &each : ranked) {
    const std::string &text = documents[each.document];
    const auto score = static_cast<float>(each.score);
    print(options.json
              ? fmt::format("{{\"index\": {}, \"score\": {}, \"text\": {}}}\n",
                            each.document, score,
                            nlohmann::ordered_json(text).dump())
              : fmt::format("{:.4f}  {}\n", score, text));
  }
}

} // namespace transfold::runtime::inline commands
