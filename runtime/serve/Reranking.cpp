// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads a request, tokenizes the query with each document in the thread of the
// request, and waits for the batcher.

#include "runtime/serve/Endpoints.h"
#include "runtime/serve/TextEndpoint.h"
#include "runtime/serve/api/Replies.h"
#include "runtime/serve/api/Requests.h"
#include "runtime/tasks/text/Labels.h"
#include "runtime/tasks/text/Ranking.h"
#include "runtime/tasks/text/Reranker.h"

namespace transfold::runtime::serve {

namespace {

class Reranking final : public TextEndpoint {
public:
  explicit Reranking(const ServedProgram &served)
      : TextEndpoint(
            served, "classify",
            {{"transfold_waiting_rerankings",
              "Reranking requests in the queue"},
             {"transfold_scored_documents_total", "Documents"},
             {"transfold_scored_tokens_total", "Tokens of reranking requests"},
             {"transfold_scoring_batches_total",
              "Calls of the model for reranking requests"}}),
        labels(batcher.task(), 1) {
    batcher.checkPairs();
  }

  std::vector<Route> routes() override {
    return {{"/v1/rerank",
             [this](Exchange &exchange) { return rerank(exchange); }}};
  }

private:
  const Labels labels;

  HttpReply rerank(Exchange &exchange) {
    auto request = takeRequest(exchange, readRerankRequest, options);
    auto encode = [&](const std::string &document, const Look &look) {
      return batcher.encodePair(request.query, document, request.truncate,
                                look);
    };
    Texts pairs = tokenized(exchange, request.documents, encode);
    auto job = computed(exchange, std::move(pairs.all));
    std::vector<double> scores;
    for (const std::vector<float> &logits : job->results())
      scores.push_back(relevanceOf(labels, logits));
    std::vector<RankedDocument> ranked;
    for (size_t document : largest(scores, request.top.value_or(scores.size())))
      ranked.push_back({document, scores[document]});
    if (!request.returnsDocuments)
      request.documents.clear();
    return jsonReply(rerankReply(options.model, ranked, request.documents,
                                 pairs.tokens, pairs.cut));
  }
};

} // namespace

std::unique_ptr<Endpoint> makeReranking(const ServedProgram &served) {
  return std::make_unique<Reranking>(served);
}

} // namespace transfold::runtime::serve
