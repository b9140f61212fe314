// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads a request for embeddings, tokenizes its texts in the thread of the
// request, and waits for the batcher.

#include "runtime/serve/Embeddings.h"

#include "runtime/serve/api/Replies.h"
#include "runtime/serve/api/Requests.h"

#include <fmt/format.h>

#include <utility>

namespace transfold::runtime::serve {

/// Clients that tokenize texts with OpenAI's tokenizer would get vectors of
/// other texts.
static void refuseTokenIds(const EmbeddingRequest &request) {
  for (const TextOrIds &input : request.inputs)
    if (!std::holds_alternative<std::string>(input))
      throw badRequest(
          "'input' has ids of tokens, which are probably those of another "
          "tokenizer than this model's: send texts (in LangChain: "
          "OpenAIEmbeddings(check_embedding_ctx_length=False)). If they are "
          "this model's, start the server with --allow-token-ids.",
          "input");
}

Embeddings::Embeddings(const LoadedProgram &program, ThreadPool &pool,
                       EndpointOptions options)
    : options(std::move(options)), session(program, pool),
      batcher(session, "embed", this->options.waiting) {}

std::vector<Endpoint::Route> Embeddings::routes() {
  return {{"/v1/embeddings",
           [this](Exchange &exchange) { return embed(exchange); }}};
}

HttpReply Embeddings::embed(Exchange &exchange) {
  EmbeddingRequest request =
      readEmbeddingRequest(exchange.http.body, exchange.watch.looks());
  std::string().swap(exchange.http.body);
  checkModel(request.model, options);
  if (!options.allowTokenIds)
    refuseTokenIds(request);
  if (request.dimensions && *request.dimensions != batcher.dimensions())
    throw badRequest(
        fmt::format("'dimensions': this model has {}.", batcher.dimensions()),
        "dimensions");
  std::vector<Encoding> texts;
  size_t tokens = 0;
  for (const TextOrIds &input : request.inputs) {
    exchange.watch.look();
    texts.push_back(
        batcher.encode(input, request.truncate, exchange.watch.looks()));
    tokens += texts.back().ids.size();
    exchange.log->usage.prompt = tokens;
  }
  request.inputs = {};
  exchange.share.giveBack();
  auto job = batcher.submit(std::move(texts), exchange.watch.deadline,
                            exchange.http.isDisconnected);
  job->wait();
  if (job->error())
    throw ApiError(*job->error());
  return jsonReply(
      embeddingReply(options.model, job->results(), request.asBase64, tokens));
}

void Embeddings::writeMetrics(MetricsText &text) const {
  auto real = [](size_t count) { return static_cast<double>(count); };
  TextBatcher::Numbers numbers = batcher.numbers();
  text.one("transfold_waiting_embeddings", "gauge",
           "Embedding requests in the queue", real(numbers.waiting));
  text.one("transfold_embedded_texts_total", "counter", "Texts",
           real(numbers.texts));
  text.one("transfold_embedded_tokens_total", "counter",
           "Tokens of embedding requests", real(numbers.tokens));
  text.one("transfold_embedding_batches_total", "counter",
           "Calls of the model for embedding requests", real(numbers.batches));
}

} // namespace transfold::runtime::serve
