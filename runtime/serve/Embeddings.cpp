// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads a request for embeddings, tokenizes its texts in the thread of the
// request, and waits for the batcher.

#include "runtime/serve/Endpoints.h"
#include "runtime/serve/TextEndpoint.h"
#include "runtime/serve/api/Replies.h"
#include "runtime/serve/api/Requests.h"

#include <fmt/format.h>

namespace transfold::runtime::serve {

namespace {

/// Clients that tokenize texts with OpenAI's tokenizer would get vectors of
/// other texts.
void refuseTokenIds(const EmbeddingRequest &request) {
  for (const TextOrIds &input : request.inputs)
    if (!std::holds_alternative<std::string>(input))
      throw badRequest(
          "'input' has ids of tokens, which are probably those of another "
          "tokenizer than this model's: send texts (in LangChain: "
          "OpenAIEmbeddings(check_embedding_ctx_length=False)). If they are "
          "this model's, start the server with --allow-token-ids.",
          "input");
}

class Embeddings final : public TextEndpoint {
public:
  explicit Embeddings(const ServedProgram &served)
      : TextEndpoint(served, "embed",
                     {{"transfold_waiting_embeddings",
                       "Embedding requests in the queue"},
                      {"transfold_embedded_texts_total", "Texts"},
                      {"transfold_embedded_tokens_total",
                       "Tokens of embedding requests"},
                      {"transfold_embedding_batches_total",
                       "Calls of the model for embedding requests"}}) {}

  std::vector<Route> routes() override {
    return {{"/v1/embeddings",
             [this](Exchange &exchange) { return embed(exchange); }}};
  }

private:
  HttpReply embed(Exchange &exchange) {
    auto request = takeRequest(exchange, readEmbeddingRequest, options);
    if (!options.allowTokenIds)
      refuseTokenIds(request);
    if (request.dimensions && *request.dimensions != batcher.dimensions())
      throw badRequest(
          fmt::format("'dimensions': this model has {}.", batcher.dimensions()),
          "dimensions");
    auto encode = [&](const TextOrIds &input, const Look &look) {
      return batcher.encode(input, request.truncate, look);
    };
    Texts texts = tokenized(exchange, request.inputs, encode);
    request.inputs = {};
    auto job = computed(exchange, std::move(texts.all));
    return jsonReply(embeddingReply(options.model, job->results(),
                                    request.asBase64, texts.tokens, texts.cut));
  }
};

} // namespace

std::unique_ptr<Endpoint> makeEmbeddings(const ServedProgram &served) {
  return std::make_unique<Embeddings>(served);
}

} // namespace transfold::runtime::serve
