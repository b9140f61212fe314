// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads a request, tokenizes the query with each document in the thread of the
// request, and waits for the batcher.

#include "runtime/serve/Reranking.h"

#include "runtime/serve/api/Replies.h"
#include "runtime/serve/api/Requests.h"
#include "runtime/tasks/text/Ranking.h"
#include "runtime/tasks/text/Reranker.h"

#include <utility>

namespace transfold::runtime::serve {

Reranking::Reranking(const LoadedProgram &program, ThreadPool &pool,
                     EndpointOptions options)
    : options(std::move(options)), session(program, pool),
      batcher(session, "classify", this->options.waiting),
      labels(batcher.task(), 1) {
  batcher.checkPairs();
}

std::vector<Endpoint::Route> Reranking::routes() {
  return {
      {"/v1/rerank", [this](Exchange &exchange) { return rerank(exchange); }}};
}

HttpReply Reranking::rerank(Exchange &exchange) {
  RerankRequest request =
      readRerankRequest(exchange.http.body, exchange.watch.looks());
  std::string().swap(exchange.http.body);
  checkModel(request.model, options);
  std::vector<Encoding> pairs;
  size_t tokens = 0;
  for (const std::string &document : request.documents) {
    exchange.watch.look();
    pairs.push_back(batcher.encodePair(
        request.query, document, request.truncate, exchange.watch.looks()));
    tokens += pairs.back().ids.size();
    exchange.log->usage.prompt = tokens;
  }
  exchange.share.giveBack();
  auto job = batcher.submit(std::move(pairs), exchange.watch.deadline,
                            exchange.http.isDisconnected);
  job->wait();
  if (job->error())
    throw ApiError(*job->error());
  std::vector<double> scores;
  for (const std::vector<float> &logits : job->results())
    scores.push_back(relevanceOf(labels, logits));
  std::vector<RankedDocument> ranked;
  for (size_t document : largest(scores, request.top.value_or(scores.size())))
    ranked.push_back({document, scores[document]});
  if (!request.returnsDocuments)
    request.documents.clear();
  return jsonReply(
      rerankReply(options.model, ranked, request.documents, tokens));
}

void Reranking::writeMetrics(MetricsText &text) const {
  auto real = [](size_t count) { return static_cast<double>(count); };
  const TextBatcher::Numbers numbers = batcher.numbers();
  text.one("transfold_waiting_rerankings", "gauge",
           "Reranking requests in the queue", real(numbers.waiting));
  text.one("transfold_scored_documents_total", "counter", "Documents",
           real(numbers.texts));
  text.one("transfold_scored_tokens_total", "counter",
           "Tokens of reranking requests", real(numbers.tokens));
  text.one("transfold_scoring_batches_total", "counter",
           "Calls of the model for reranking requests", real(numbers.batches));
}

} // namespace transfold::runtime::serve
