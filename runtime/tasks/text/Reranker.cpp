// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs pairs of the query and a document in calls of about a thousand tokens,
// as embeddings are computed.

#include "runtime/tasks/text/Reranker.h"

#include "base/Error.h"
#include "runtime/tasks/text/Embedder.h"
#include "runtime/tasks/text/Ranking.h"
#include "runtime/tasks/text/SingleScore.h"

#include <fmt/format.h>

namespace transfold::runtime::inline tasks {

double relevanceOf(const Labels &labels, std::span<const float> logits) {
  return labels.argmax(logits, 1).front().score;
}

Reranker::Reranker(Session &session)
    : call(session, "classify"), names(call.task(), 1) {
  if (!isSingleScore(call.entry()))
    fail("entry '{}' returns several scores; a model that orders documents "
         "returns one",
         call.entry().name);
  call.checkPairs();
}

std::vector<Reranker::Scored>
Reranker::score(const std::string &query,
                std::span<const std::string> documents, size_t first,
                const std::function<void()> &look) {
  std::vector<Scored> scored;
  std::vector<Encoding> pairs;
  size_t tokens = 0;
  for (size_t k = 0; k < documents.size(); ++k) {
    try {
      pairs.push_back(call.encodePair(query, documents[k]));
    } catch (const Error &error) {
      fail("document {}: {}", k + first, error.what());
    }
    tokens += pairs.back().ids.size();
    if (tokens < Embedder::enoughTokens && k + 1 < documents.size())
      continue;
    if (look)
      look();
    call.run(pairs);
    for (size_t pair = 0; pair < pairs.size(); ++pair)
      scored.push_back(
          {relevanceOf(names, call.result(0, pair)), pairs[pair].cut});
    pairs.clear();
    tokens = 0;
  }
  return scored;
}

std::vector<Reranker::Ranked>
Reranker::run(const std::string &query,
              std::span<const std::string> documents) {
  const std::vector<Scored> scored = score(query, documents);
  std::vector<double> scores;
  for (const Scored &each : scored)
    scores.push_back(each.score);
  std::vector<Ranked> ranked;
  for (size_t document : largest(scores, scores.size()))
    ranked.push_back({document, scores[document], scored[document].cut});
  return ranked;
}

} // namespace transfold::runtime::inline tasks
