// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The JSON of replies, in the format of OpenAI's servers: whole answers, and
// the parts of a stream.

#pragma once

#include "runtime/serve/api/AnswerStream.h"
#include "runtime/serve/calls/AnswerReader.h"

#include <ctime>
#include <span>
#include <string>
#include <vector>

namespace transfold::runtime::serve {

/// Fields that all parts of an answer repeat.
struct ReplyHead {
  std::string id, model;
  std::time_t created = 0;
  bool isChat = false;
};

/// A call of a function; the arguments are JSON.
struct FunctionCall {
  std::string id, name, arguments;
};
/// A whole answer.
struct WholeAnswer {
  Piece content;
  AnswerEnd end;
  std::vector<FunctionCall> calls = {};
  std::string thought = {};

  /// Appends a part to the text, to the thought or to a call.
  void add(const AnswerPart &part);
};
/// The reply with all answers of a request.
nlohmann::ordered_json wholeReply(const ReplyHead &head,
                                  std::span<const WholeAnswer> answers,
                                  const Usage &usage);

/// The first part of a stream, which names the role; null for completions,
/// which have no role. `answer` is the index among the answers of the request,
/// here and below.
nlohmann::ordered_json firstPart(const ReplyHead &head, size_t answer);
/// A part with new text.
nlohmann::ordered_json nextPart(const ReplyHead &head, size_t answer,
                                const Piece &piece);
/// A part with more of a thought.
nlohmann::ordered_json thoughtPart(const ReplyHead &head, size_t answer,
                                   const std::string &text);
/// A part with the beginning of a call, or with more of its arguments.
nlohmann::ordered_json callPart(const ReplyHead &head, size_t answer,
                                const AnswerPart &part);
/// The part with the finish reason. `hasCalls`: the answer calls functions.
nlohmann::ordered_json lastPart(const ReplyHead &head, size_t answer,
                                const AnswerEnd &end, bool hasCalls = false);
/// The part with the numbers of tokens.
nlohmann::ordered_json usagePart(const ReplyHead &head, const Usage &usage);
/// A server-sent event: "data: …" and an empty line.
std::string eventOf(const nlohmann::ordered_json &part);
/// The event that ends a stream.
constexpr const char *lastEvent = "data: [DONE]\n\n";

/// The reply with embeddings; `tokens` is the number of tokens of all texts, of
/// which `cut` were truncated.
nlohmann::ordered_json
embeddingReply(const std::string &model,
               std::span<const std::vector<float>> vectors, bool asBase64,
               size_t tokens, size_t cut);
/// A document of a request, by its index there.
struct RankedDocument {
  size_t document;
  double score;
};
/// The reply with documents in order; with their texts if `documents` is not
/// empty. `tokens` is the number of tokens of all pairs, of which `cut` were
/// truncated.
nlohmann::ordered_json rerankReply(const std::string &model,
                                   std::span<const RankedDocument> ranked,
                                   std::span<const std::string> documents,
                                   size_t tokens, size_t cut);
/// The description of the model. `routes` are the routes that it answers;
/// OpenAI's clients ignore them.
nlohmann::ordered_json modelReply(const std::string &model, std::time_t created,
                                  std::span<const std::string> routes);
/// The list of models, with only this one.
nlohmann::ordered_json modelsReply(nlohmann::ordered_json model);

/// Base64 by RFC 4648, with padding.
std::string base64(std::span<const uint8_t> bytes);

} // namespace transfold::runtime::serve
