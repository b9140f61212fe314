// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads the bodies of the routes. Limits on numbers of texts, stops and
// alternatives bound the work that one request can cause.

#include "runtime/serve/api/Requests.h"

#include "runtime/chat/Message.h"
#include "runtime/serve/api/ApiError.h"
#include "runtime/serve/api/CallMessages.h"
#include "runtime/serve/api/ConstraintFields.h"
#include "runtime/serve/api/OtherFields.h"
#include "runtime/serve/api/ToolFields.h"
#include "runtime/steps/sampling/SamplingOptions.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>

namespace transfold::runtime::serve {

using nlohmann::ordered_json;

namespace {

constexpr int64_t mostTokens = ranges::tokens.most;
constexpr size_t mostStops = 16, mostStopBytes = 1024;
constexpr int64_t mostTopScores = 20;
constexpr size_t mostInputs = 2048;
constexpr int64_t mostAnswers = 128;
constexpr size_t mostBiases = 1024;
constexpr double largestBias = 100;
constexpr int64_t usualTokens = 16; // for /v1/completions, as for OpenAI

/// Refuses a field whose value would change the answer.
void refuseUnless(bool isHarmless, const char *name, const char *why) {
  if (!isHarmless)
    throw badRequest(fmt::format("'{}': {}", name, why), name);
}

//===----------------------------------------------------------------------===//
// Fields common to both kinds of completions
//===----------------------------------------------------------------------===//

/// The sampling options that are present; others stay unset.
void readSampling(const Fields &fields, CompletionRequest &request) {
  AskedSampling &sampling = request.sampling;
  forEachSamplingField([&]<typename Number>(const SamplingField<Number> &field,
                                            size_t index) {
    std::optional<Number> value;
    if constexpr (std::is_integral_v<Number>)
      value = fields.integer(field.name, field.range.least, field.range.most);
    else
      value = fields.number(field.name, field.range.least, field.range.most);
    sampling.areSet[index] = value.has_value();
    sampling.values.*field.member = value.value_or(Number());
  });
  if (auto seed = fields.integer("seed", INT64_MIN, INT64_MAX))
    sampling.seed = static_cast<uint64_t>(*seed);
}

/// `logit_bias`: numbers by ids of tokens, {"13": -100}. Whether the model has
/// the tokens is checked later.
void readBiases(const Fields &fields, CompletionRequest &request) {
  const ordered_json *given = fields.find("logit_bias");
  // Some clients send an empty list for an empty object.
  if (!given || (given->is_array() && given->empty()))
    return;
  auto check = [](bool isFit, const std::string &what) {
    if (!isFit)
      throw badRequest("'logit_bias' " + what, "logit_bias");
  };
  check(given->is_object() && given->size() <= mostBiases,
        fmt::format("must be an object with at most {} tokens, such as "
                    "{{\"13\": -100}}.",
                    mostBiases));
  for (const auto &[name, value] : given->items()) {
    int32_t token = 0;
    const char *end = name.data() + name.size();
    auto [rest, problem] = std::from_chars(name.data(), end, token);
    check(problem == std::errc() && rest == end && token >= 0,
          "has a name that is not the id of a token.");
    check(value.is_number() && std::abs(value.get<double>()) <= largestBias,
          fmt::format("must have numbers from {} to {}.", -largestBias,
                      largestBias));
    request.sampling.biases.push_back({token, value.get<double>()});
  }
}

/// `n`: the number of answers to each prompt.
void readAnswers(const Fields &fields, CompletionRequest &request) {
  request.answers =
      static_cast<size_t>(fields.integer("n", 1, mostAnswers).value_or(1));
}

/// `truncate`: the part of a prompt that may be left out.
void readCut(const Fields &fields, CompletionRequest &request) {
  using Cut = CompletionRequest::Cut;
  constexpr std::pair<std::string_view, Cut> words[] = {
      {"front", Cut::Front}, {"middle", Cut::Middle}, {"end", Cut::End}};
  auto given = fields.text("truncate");
  if (!given)
    return;
  for (const auto &[word, cut] : words)
    if (*given == word)
      request.cut = cut;
  refuseUnless(request.cut != Cut::None, "truncate",
               "must be \"front\", \"middle\" or \"end\".");
}

/// `stop`: a text or a list of texts.
void readStops(const Fields &fields, CompletionRequest &request) {
  const ordered_json *stop = fields.find("stop");
  if (!stop)
    return;
  auto add = [&](const ordered_json &text) {
    if (!text.is_string())
      throw badRequest("'stop' must be a string, or a list of them.", "stop");
    request.stops.push_back(text.get<std::string>());
    if (request.stops.back().empty() ||
        request.stops.back().size() > mostStopBytes)
      throw badRequest(fmt::format("A text of 'stop' must have 1 to {} bytes.",
                                   mostStopBytes),
                       "stop");
  };
  if (!stop->is_array())
    return add(*stop);
  if (stop->size() > mostStops)
    throw badRequest(fmt::format("'stop' must be at most {} texts.", mostStops),
                     "stop");
  for (const ordered_json &text : *stop)
    add(text);
}

/// Whether the answer is streamed, and the options of the stream.
void readStream(const Fields &fields, CompletionRequest &request) {
  request.stream = fields.flag("stream").value_or(false);
  const ordered_json *given = fields.find("stream_options");
  if (!given)
    return;
  if (!given->is_object())
    throw badRequest("'stream_options' must be an object.", "stream_options");
  const Fields options(*given);
  request.streamsUsage = options.flag("include_usage").value_or(false);
  // Bytes that hide the length of a token; they are never sent.
  (void)options.flag("include_obfuscation");
  refuseUnless(!options.flag("continuous_usage_stats").value_or(false),
               "stream_options", "continuous_usage_stats is not supported.");
  for (std::string_view name : options.names())
    if (!options.known().contains(name))
      throw unknownField(name, options.known());
}

/// The fields of both kinds of completions.
CompletionRequest readCommon(const Fields &fields) {
  CompletionRequest request;
  request.model = fields.text("model").value_or("");
  request.ignoreEnd = fields.flag("ignore_eos").value_or(false);
  readSampling(fields, request);
  readBiases(fields, request);
  readAnswers(fields, request);
  readCut(fields, request);
  readStops(fields, request);
  readStream(fields, request);
  request.constraint = readConstraint(fields);
  refuseUnless(!request.constraint || !request.ignoreEnd, "ignore_eos",
               "a text that follows 'response_format' must be able to end.");
  return request;
}

//===----------------------------------------------------------------------===//
// Conversations
//===----------------------------------------------------------------------===//

/// Joins the texts of [{"type": "text", "text": "…"}, …].
std::string textOfParts(const ordered_json &parts) {
  std::string text;
  for (const ordered_json &part : parts) {
    if (!part.is_object() || !part.contains("type") || part["type"] != "text" ||
        !part.contains("text") || !part["text"].is_string())
      throw badRequest("A part of a message must be {\"type\": \"text\", "
                       "\"text\": \"…\"}: this model supports nothing else.",
                       "messages");
    text += part["text"].get<std::string>();
  }
  return text;
}

/// A message in the form that templates expect: `content` is one text. Throws
/// ApiError.
ordered_json readMessage(const ordered_json &given) {
  if (std::string problem = chat::problemOfMessage(given); !problem.empty())
    throw badRequest(fmt::format("A message {}.", problem), "messages");
  ordered_json message = given;
  // "developer" is the newer name of the role; templates know the older one.
  if (message["role"] == "developer")
    message["role"] = "system";
  if (!message.contains("content") || message["content"].is_null())
    message["content"] = "";
  else if (message["content"].is_array())
    message["content"] = textOfParts(message["content"]);
  if (!message["content"].is_string())
    throw badRequest("The 'content' of a message must be a string, or a list "
                     "of parts.",
                     "messages");
  return message;
}

void readConversation(const Fields &fields, CompletionRequest &request) {
  const ordered_json *messages = fields.find("messages");
  if (!messages || !messages->is_array() || messages->empty())
    throw badRequest("'messages' must be a list of messages, such as "
                     "[{\"role\": \"user\", \"content\": \"Hello\"}].",
                     "messages");
  CallMessages calls;
  for (const ordered_json &message : *messages) {
    request.conversation.messages.push_back(readMessage(message));
    calls.read(request.conversation.messages.back());
  }
  if (const ordered_json *variables = fields.find("chat_template_kwargs")) {
    if (!variables->is_object())
      throw badRequest("'chat_template_kwargs' must be an object.",
                       "chat_template_kwargs");
    request.conversation.variables = *variables;
  }
}

/// Functions, and what cannot be combined with calls of them.
void readToolsOf(const Fields &fields, CompletionRequest &request) {
  request.tools = readTools(fields, request.conversation.tools);
  if (!request.tools.areGiven() ||
      request.tools.choice == AskedTools::Choice::None)
    return;
  refuseUnless(!request.constraint, "response_format",
               "is not supported together with 'tools', unless 'tool_choice' "
               "is none.");
  refuseUnless(!request.ignoreEnd, "ignore_eos",
               "an answer that may call functions must be able to end.");
  refuseUnless(!request.isScored, "logprobs",
               "is not supported together with 'tools', unless 'tool_choice' "
               "is none.");
}

//===----------------------------------------------------------------------===//
// Texts and ids
//===----------------------------------------------------------------------===//

/// A list of token ids; whether the model has them is checked later.
std::vector<int32_t> readIds(const ordered_json &list, const char *name) {
  std::vector<int32_t> ids;
  ids.reserve(list.size());
  for (const ordered_json &id : list) {
    if (!id.is_number_unsigned() || id.get<uint64_t>() > INT32_MAX)
      throw badRequest(
          fmt::format("'{}': a list of tokens must contain ids from 0.", name),
          name);
    ids.push_back(static_cast<int32_t>(id.get<uint64_t>()));
  }
  return ids;
}

/// A text, token ids, a list of texts or a list of lists of token ids.
std::vector<TextOrIds> readTexts(const Fields &fields, const char *name) {
  const ordered_json *given = fields.find(name);
  auto wrong = [&] {
    return badRequest(fmt::format("'{}' must be a text, a list of texts, "
                                  "tokens, or a list of lists of tokens.",
                                  name),
                      name);
  };
  if (!given)
    throw wrong();
  if (given->is_string())
    return {given->get<std::string>()};
  if (!given->is_array() || given->empty())
    throw wrong();
  if (given->front().is_number())
    return {readIds(*given, name)};
  if (given->size() > mostInputs)
    throw badRequest(
        fmt::format("'{}' must have at most {} items.", name, mostInputs),
        name);
  std::vector<TextOrIds> texts;
  for (const ordered_json &item : *given)
    if (item.is_string())
      texts.emplace_back(item.get<std::string>());
    else if (item.is_array() && !item.empty())
      texts.emplace_back(readIds(item, name));
    else
      throw wrong();
  return texts;
}

} // namespace

SamplingOptions AskedSampling::over(SamplingOptions usual) const {
  forEachSamplingField([&](const auto &field, size_t index) {
    if (areSet[index])
      usual.*field.member = values.*field.member;
  });
  usual.biases = biases;
  usual.seed = seed.value_or(usual.seed);
  return usual;
}

CompletionRequest readChatRequest(std::string_view body, const Look &look) {
  ordered_json json = parseBody(body, look);
  Fields fields(json);
  CompletionRequest request = readCommon(fields);
  request.isChat = true;
  readConversation(fields, request);
  auto most = fields.integer("max_completion_tokens", 1, mostTokens);
  auto older = fields.integer("max_tokens", 1, mostTokens);
  request.most = most ? *most : older.value_or(0);
  request.isScored = fields.flag("logprobs").value_or(false);
  if (auto top = fields.integer("top_logprobs", 0, mostTopScores)) {
    refuseUnless(request.isScored || *top == 0, "top_logprobs",
                 "belongs to 'logprobs'.");
    request.topScores = static_cast<size_t>(*top);
  }
  readToolsOf(fields, request);
  checkOtherFields(fields, BodyKind::Chat);
  return request;
}

CompletionRequest readCompletionRequest(std::string_view body,
                                        const Look &look) {
  ordered_json json = parseBody(body, look);
  Fields fields(json);
  CompletionRequest request = readCommon(fields);
  request.prompts = readTexts(fields, "prompt");
  auto best = fields.integer("best_of", 1, mostAnswers);
  refuseUnless(!best || static_cast<size_t>(*best) == request.answers,
               "best_of", "only the value of 'n' is supported.");
  request.most =
      fields.integer("max_tokens", 1, mostTokens).value_or(usualTokens);
  if (auto top = fields.integer("logprobs", 0, mostTopScores)) {
    request.isScored = true;
    request.topScores = static_cast<size_t>(*top);
  }
  request.echo = fields.flag("echo").value_or(false);
  refuseUnless(!request.echo || !request.isScored, "echo",
               "is not supported together with 'logprobs'.");
  checkOtherFields(fields, BodyKind::Completion);
  return request;
}

EmbeddingRequest readEmbeddingRequest(std::string_view body, const Look &look) {
  ordered_json json = parseBody(body, look);
  Fields fields(json);
  EmbeddingRequest request;
  request.model = fields.text("model").value_or("");
  request.inputs = readTexts(fields, "input");
  request.truncate = fields.flag("truncate").value_or(false);
  request.dimensions = fields.integer("dimensions", 1, mostTokens);
  std::string format = fields.text("encoding_format").value_or("float");
  if (format != "float" && format != "base64")
    throw badRequest("'encoding_format' must be \"float\" or \"base64\".",
                     "encoding_format");
  request.asBase64 = format == "base64";
  checkOtherFields(fields, BodyKind::Embeddings);
  return request;
}

/// The documents of a request: texts, or objects with a text.
static std::vector<std::string> readDocuments(const Fields &fields) {
  const ordered_json *given = fields.find("documents");
  auto wrong = [] {
    return badRequest("'documents' must be a list of texts, or of objects with "
                      "a text: [{\"text\": \"…\"}].",
                      "documents");
  };
  if (!given || !given->is_array() || given->empty())
    throw wrong();
  if (given->size() > mostInputs)
    throw badRequest(
        fmt::format("'documents' must have at most {} items.", mostInputs),
        "documents");
  std::vector<std::string> documents;
  for (const ordered_json &item : *given) {
    const ordered_json *text = &item;
    if (item.is_object()) {
      auto found = item.find("text");
      if (found == item.end() || item.size() != 1)
        throw wrong();
      text = &*found;
    }
    if (!text->is_string())
      throw wrong();
    documents.push_back(text->get<std::string>());
  }
  return documents;
}

RerankRequest readRerankRequest(std::string_view body, const Look &look) {
  ordered_json json = parseBody(body, look);
  Fields fields(json);
  RerankRequest request;
  request.model = fields.text("model").value_or("");
  auto query = fields.text("query");
  if (!query)
    throw badRequest("'query' is missing; it must be a text.", "query");
  request.query = *query;
  request.documents = readDocuments(fields);
  for (const char *name : {"top_n", "top_k"})
    if (auto top = fields.integer(name, 1, mostTokens))
      request.top = static_cast<size_t>(*top);
  request.returnsDocuments = fields.flag("return_documents").value_or(false);
  request.truncate = fields.flag("truncate").value_or(false);
  checkOtherFields(fields, BodyKind::Rerank);
  return request;
}

TokenizeRequest readTokenizeRequest(std::string_view body, const Look &look) {
  ordered_json json = parseBody(body, look);
  Fields fields(json);
  TokenizeRequest request;
  request.model = fields.text("model").value_or("");
  auto prompt = fields.text("prompt"), content = fields.text("content");
  if (prompt.has_value() == content.has_value())
    throw badRequest("Give the text as 'prompt' or as 'content'. Messages are "
                     "not rendered here; 'usage' of a chat completion has "
                     "their number of tokens.",
                     "prompt");
  request.text = prompt ? *prompt : *content;
  // As the server does that has the one or the other name: vLLM or llama.cpp.
  const auto adds = fields.flag("add_special_tokens"),
             alsoAdds = fields.flag("add_special");
  request.addsSpecial = adds ? *adds : alsoAdds.value_or(prompt.has_value());
  request.readsSpecial = fields.flag("parse_special").value_or(true);
  request.returnsTexts = fields.flag("return_token_strs").value_or(false);
  request.returnsPieces = fields.flag("with_pieces").value_or(false);
  checkOtherFields(fields, BodyKind::Tokens);
  return request;
}

DetokenizeRequest readDetokenizeRequest(std::string_view body,
                                        const Look &look) {
  ordered_json json = parseBody(body, look);
  Fields fields(json);
  DetokenizeRequest request;
  request.model = fields.text("model").value_or("");
  const ordered_json *tokens = fields.find("tokens");
  if (!tokens || !tokens->is_array())
    throw badRequest("'tokens' must be a list of tokens.", "tokens");
  request.tokens = readIds(*tokens, "tokens");
  checkOtherFields(fields, BodyKind::Tokens);
  return request;
}

} // namespace transfold::runtime::serve
