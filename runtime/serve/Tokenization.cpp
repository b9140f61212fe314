// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tokens of texts and texts of tokens, in the thread of the request: the model
// is not needed. The fields are those of vLLM and of llama.cpp's server, which
// differ in their names.

#include "runtime/serve/Endpoints.h"
#include "runtime/serve/api/Replies.h"
#include "runtime/serve/api/Requests.h"
#include "runtime/tokenizer/Tokenizer.h"

namespace transfold::runtime::serve {

namespace {

class Tokenization final : public Endpoint {
public:
  explicit Tokenization(const ServedProgram &served)
      : options(served.options), tokenizer(served.program.tokenizerTables()) {}

  std::vector<Route> routes() override {
    // What the tokenizer refuses is the fault of the text.
    auto answered = [this](auto answer) {
      return [this, answer](Exchange &exchange) {
        try {
          return (this->*answer)(exchange);
        } catch (const Error &error) {
          throw badRequest(fmt::format("The text: {}.", error.what()));
        }
      };
    };
    return {{"/tokenize", answered(&Tokenization::tokenize)},
            {"/detokenize", answered(&Tokenization::detokenize)}};
  }
  void stop() override {}
  void writeMetrics(MetricsText &) const override {}

private:
  const EndpointOptions options;
  const Tokenizer tokenizer;

  HttpReply tokenize(Exchange &exchange) const {
    auto request = takeRequest(exchange, readTokenizeRequest, options);
    const std::string &text = request.text;
    const TextRange whole = {0, text.size()};
    const auto typed = std::span(&whole, request.readsSpecial ? 0 : 1);
    const TokenizerEffort effort = {.look = exchange.watch.looks()};
    std::vector<int32_t> ids;
    if (request.addsSpecial)
      ids = tokenizer.encode(text, Tokenizer::unlimited, typed, effort).ids;
    else
      for (const Token &token : tokenizer.tokenize(text, typed, effort))
        ids.push_back(token.id);
    exchange.log->usage.prompt = ids.size();
    nlohmann::ordered_json reply = {{"tokens", ids}, {"count", ids.size()}};
    for (size_t i = 0; i < ids.size() && request.returnsPieces; ++i)
      reply["tokens"][i] = {{"id", ids[i]}, {"piece", pieceOf(ids[i])}};
    for (size_t i = 0; i < ids.size() && request.returnsTexts; ++i)
      reply["token_strs"].push_back(pieceOf(ids[i]));
    return jsonReply(reply);
  }
  std::string pieceOf(int32_t id) const {
    return tokenizer.token(id).value_or("");
  }

  HttpReply detokenize(Exchange &exchange) const {
    auto request = takeRequest(exchange, readDetokenizeRequest, options);
    for (int32_t id : request.tokens)
      if (!tokenizer.token(id))
        throw badRequest(
            fmt::format("'tokens': the model has no token {}.", id), "tokens");
    const std::string text = tokenizer.decode(request.tokens, true);
    return jsonReply({{"prompt", text}, {"content", text}});
  }
};

} // namespace

std::unique_ptr<Endpoint> makeTokenization(const ServedProgram &served) {
  return std::make_unique<Tokenization>(served);
}

} // namespace transfold::runtime::serve
