// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What clients get, in the form that OpenAI's servers give it: whole answers,
// and the pieces of a stream.

#ifndef TRANSFOLD_RUNTIME_SERVE_REPLIES_H
#define TRANSFOLD_RUNTIME_SERVE_REPLIES_H

#include "runtime/serve/AnswerStream.h"

#include <ctime>
#include <span>
#include <string>
#include <vector>

namespace transfold::runtime::serve {

/// What all parts of an answer repeat.
struct ReplyHead {
  std::string id, model;
  std::time_t created = 0;
  bool isChat = false;
};

/// A whole answer.
nlohmann::json wholeReply(const ReplyHead &head, const Piece &answer,
                          const AnswerEnd &end);

/// The first part of a stream says who speaks; it is null where nothing is
/// said.
nlohmann::json firstPart(const ReplyHead &head);
nlohmann::json nextPart(const ReplyHead &head, const Piece &piece);
nlohmann::json lastPart(const ReplyHead &head, const AnswerEnd &end);
nlohmann::json usagePart(const ReplyHead &head, const Usage &usage);
/// An event of a stream: "data: …" and an empty line.
std::string eventOf(const nlohmann::json &part);
constexpr const char *lastEvent = "data: [DONE]\n\n";

nlohmann::json embeddingReply(const std::string &model,
                              std::span<const std::vector<float>> vectors,
                              bool asBase64, size_t tokens);
/// `routes` are those that the model answers, which OpenAI's clients pass over.
nlohmann::json modelReply(const std::string &model, std::time_t created,
                          std::span<const std::string> routes);
nlohmann::json modelsReply(nlohmann::json model);

/// RFC 4648, with padding.
std::string base64(std::span<const uint8_t> bytes);

} // namespace transfold::runtime::serve

#endif // TRANSFOLD_RUNTIME_SERVE_REPLIES_H
