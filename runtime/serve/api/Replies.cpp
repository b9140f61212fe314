// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Builds JSON. The fields and their nesting are those that OpenAI's clients
// parse; chat and plain completions differ in names and in the form of log
// probabilities.

#include "runtime/serve/api/Replies.h"

#include "base/text/Unicode.h"
#include "runtime/tokenizer/Model.h"

#include <fmt/format.h>

#include <algorithm>

namespace transfold::runtime::serve {

using json = nlohmann::ordered_json;

namespace {

/// JSON has no -∞; OpenAI's servers write this value instead.
double finite(double logProbability) {
  return std::max(logProbability, -9999.0);
}

/// The finish reason as OpenAI's interface names it.
const char *wordOf(AnswerEnd::Reason reason, bool hasCalls) {
  return reason == AnswerEnd::Reason::Length ? "length"
         : hasCalls                          ? "tool_calls"
                                             : "stop";
}

/// The message of a whole answer. The text is null beside calls if it is empty.
json messageOf(const WholeAnswer &answer) {
  json message = {{"role", "assistant"},
                  {"content", answer.content.text},
                  {"refusal", nullptr}};
  if (!answer.thought.empty())
    message["reasoning_content"] = answer.thought;
  if (answer.calls.empty())
    return message;
  if (answer.content.text.empty())
    message["content"] = nullptr;
  json calls = json::array();
  for (const FunctionCall &call : answer.calls)
    calls.push_back(
        {{"id", call.id},
         {"type", "function"},
         {"function", {{"name", call.name}, {"arguments", call.arguments}}}});
  message["tool_calls"] = std::move(calls);
  return message;
}

//===----------------------------------------------------------------------===//
// Log probabilities
//===----------------------------------------------------------------------===//

/// Bytes that may be a part of a character, as valid JSON text: bytes that do
/// not form whole characters are written as \xf0, after `mark`, as OpenAI does.
std::string spelled(std::string_view bytes, std::string_view mark) {
  if (repairUtf8(bytes) == bytes)
    return std::string(bytes);
  std::string text(mark);
  for (size_t at = 0; at < bytes.size();) {
    std::string_view one = bytes.substr(at, characterBytes(bytes, at));
    const bool isWhole = repairUtf8(one) == one;
    text += isWhole ? std::string(one)
                    : fmt::format("\\x{:02x}",
                                  static_cast<unsigned char>(one.front()));
    at += isWhole ? one.size() : 1;
  }
  return text;
}

/// A token as an element of a conversation's log probabilities.
json scoreOf(const TokenScore &score) {
  json bytes = json::array();
  if (score.isText)
    for (char c : score.bytes)
      bytes.push_back(static_cast<unsigned char>(c));
  return {{"token", spelled(score.bytes, "")},
          {"logprob", finite(score.logProbability)},
          {"bytes", std::move(bytes)}};
}

/// Log probabilities in the form of /v1/chat/completions.
json chatScores(const std::vector<ScoredToken> &tokens) {
  json content = json::array();
  for (const ScoredToken &token : tokens) {
    json entry = scoreOf(token), top = json::array();
    for (const TokenScore &other : token.top)
      top.push_back(scoreOf(other));
    entry["top_logprobs"] = std::move(top);
    content.push_back(std::move(entry));
  }
  return {{"content", std::move(content)}, {"refusal", nullptr}};
}

/// The text of a token as a key in the older form of log probabilities.
std::string textName(const TokenScore &score) {
  return spelled(score.bytes, "bytes:");
}

/// Log probabilities by token text. The chosen token has its own text; other
/// tokens with the same text are named by their ids.
json topByText(const ScoredToken &token) {
  json top = {{textName(token), finite(token.logProbability)}};
  for (const TokenScore &other : token.top) {
    if (other.token == token.token)
      continue;
    std::string name = textName(other);
    if (top.contains(name))
      name = fmt::format("token_id:{}", other.token);
    top[name] = finite(other.logProbability);
  }
  return top;
}

/// Log probabilities in the form of /v1/completions: parallel lists.
json textScores(const std::vector<ScoredToken> &tokens) {
  json texts = json::array(), scores = json::array(), tops = json::array(),
       offsets = json::array();
  for (const ScoredToken &token : tokens) {
    texts.push_back(textName(token));
    scores.push_back(finite(token.logProbability));
    tops.push_back(topByText(token));
    offsets.push_back(token.offset);
  }
  return {{"tokens", std::move(texts)},
          {"token_logprobs", std::move(scores)},
          {"top_logprobs", std::move(tops)},
          {"text_offset", std::move(offsets)}};
}

/// The log probabilities of a piece; null if none were requested.
json scoresOf(const ReplyHead &head, const Piece &piece) {
  if (piece.tokens.empty())
    return nullptr;
  return head.isChat ? chatScores(piece.tokens) : textScores(piece.tokens);
}

//===----------------------------------------------------------------------===//
// The envelope of an answer
//===----------------------------------------------------------------------===//

/// Numbers of tokens, with those that were reused from the caches.
json usageOf(const Usage &usage) {
  json details = {{"cached_tokens", usage.reused}};
  if (usage.cut)
    details["truncated_tokens"] = usage.cut;
  return {{"prompt_tokens", usage.prompt},
          {"completion_tokens", usage.made},
          {"total_tokens", usage.prompt + usage.made},
          {"prompt_tokens_details", std::move(details)}};
}

/// The same of texts that were only read, `cut` of them in part.
json usageOf(size_t tokens, size_t cut) {
  json usage = {{"prompt_tokens", tokens}, {"total_tokens", tokens}};
  if (cut)
    usage["truncated_texts"] = cut;
  return usage;
}

/// The fields that all replies and parts have around their choices.
json around(const ReplyHead &head, const char *chatObject, json choices) {
  return {{"id", head.id},
          {"object", head.isChat ? chatObject : "text_completion"},
          {"created", static_cast<int64_t>(head.created)},
          {"model", head.model},
          {"choices", std::move(choices)}};
}

/// A part of a stream with one choice.
json part(const ReplyHead &head, size_t answer, json content, json scores,
          json reason) {
  json choice = {{"index", answer},
                 {"logprobs", std::move(scores)},
                 {"finish_reason", std::move(reason)}};
  choice[head.isChat ? "delta" : "text"] = std::move(content);
  return around(head, "chat.completion.chunk",
                json::array({std::move(choice)}));
}

} // namespace

void WholeAnswer::add(const AnswerPart &part) {
  if (!part.isOfCall) {
    (part.isThought ? thought : content.text) += part.text;
    return;
  }
  if (part.call == calls.size())
    calls.push_back({part.id, part.name, ""});
  calls[part.call].arguments += part.arguments;
}

json wholeReply(const ReplyHead &head, std::span<const WholeAnswer> answers,
                const Usage &usage) {
  json choices = json::array();
  for (const WholeAnswer &answer : answers) {
    json choice = {
        {"index", choices.size()},
        {"logprobs", scoresOf(head, answer.content)},
        {"finish_reason", wordOf(answer.end.reason, !answer.calls.empty())}};
    if (head.isChat)
      choice["message"] = messageOf(answer);
    else
      choice["text"] = answer.content.text;
    choices.push_back(std::move(choice));
  }
  json reply = around(head, "chat.completion", std::move(choices));
  reply["usage"] = usageOf(usage);
  return reply;
}

json firstPart(const ReplyHead &head, size_t answer) {
  if (!head.isChat)
    return nullptr;
  return part(head, answer, {{"role", "assistant"}, {"content", ""}}, nullptr,
              nullptr);
}

json nextPart(const ReplyHead &head, size_t answer, const Piece &piece) {
  json content = head.isChat ? json{{"content", piece.text}} : json(piece.text);
  return part(head, answer, std::move(content), scoresOf(head, piece), nullptr);
}

json thoughtPart(const ReplyHead &head, size_t answer,
                 const std::string &text) {
  return part(head, answer, {{"reasoning_content", text}}, nullptr, nullptr);
}

json callPart(const ReplyHead &head, size_t answer, const AnswerPart &more) {
  json call = {{"index", more.call},
               {"function", {{"arguments", more.arguments}}}};
  if (!more.id.empty()) {
    call["id"] = more.id;
    call["type"] = "function";
    call["function"]["name"] = more.name;
  }
  return part(head, answer, {{"tool_calls", json::array({std::move(call)})}},
              nullptr, nullptr);
}

json lastPart(const ReplyHead &head, size_t answer, const AnswerEnd &end,
              bool hasCalls) {
  json content = head.isChat ? json::object() : json("");
  return part(head, answer, std::move(content), nullptr,
              wordOf(end.reason, hasCalls));
}

json usagePart(const ReplyHead &head, const Usage &usage) {
  json reply = around(head, "chat.completion.chunk", json::array());
  reply["usage"] = usageOf(usage);
  return reply;
}

std::string eventOf(const json &part) { return "data: " + dump(part) + "\n\n"; }

json embeddingReply(const std::string &model,
                    std::span<const std::vector<float>> vectors, bool asBase64,
                    size_t tokens, size_t cut) {
  json data = json::array();
  for (const std::vector<float> &vector : vectors) {
    // Floats in the processor's byte order (little-endian), as clients expect.
    json numbers =
        asBase64
            ? json(base64({reinterpret_cast<const uint8_t *>(vector.data()),
                           vector.size() * sizeof(float)}))
            : json(vector);
    data.push_back({{"object", "embedding"},
                    {"index", data.size()},
                    {"embedding", std::move(numbers)}});
  }
  return {{"object", "list"},
          {"model", model},
          {"data", std::move(data)},
          {"usage", usageOf(tokens, cut)}};
}

json rerankReply(const std::string &model,
                 std::span<const RankedDocument> ranked,
                 std::span<const std::string> documents, size_t tokens,
                 size_t cut) {
  json results = json::array();
  for (auto [document, score] : ranked) {
    json result = {{"index", document},
                   {"relevance_score", static_cast<float>(score)}};
    if (!documents.empty())
      result["document"] = {{"text", documents[document]}};
    results.push_back(std::move(result));
  }
  return {{"object", "list"},
          {"model", model},
          {"results", std::move(results)},
          {"usage", usageOf(tokens, cut)}};
}

json modelReply(const std::string &model, std::time_t created,
                std::span<const std::string> routes) {
  return {{"id", model},
          {"object", "model"},
          {"created", static_cast<int64_t>(created)},
          {"owned_by", "transfold"},
          {"transfold", {{"routes", json(routes)}}}};
}

json modelsReply(json model) {
  return {{"object", "list"}, {"data", json::array({std::move(model)})}};
}

std::string base64(std::span<const uint8_t> bytes) {
  constexpr char letters[] =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string result;
  result.reserve((bytes.size() + 2) / 3 * 4);
  for (size_t i = 0; i < bytes.size(); i += 3) {
    size_t there = std::min<size_t>(bytes.size() - i, 3);
    uint32_t word = 0;
    for (size_t k = 0; k < 3; ++k)
      word = word << 8 | (k < there ? bytes[i + k] : 0U);
    for (size_t k = 0; k < 4; ++k)
      result += k <= there ? letters[word >> (18 - 6 * k) & 63] : '=';
  }
  return result;
}

} // namespace transfold::runtime::serve
