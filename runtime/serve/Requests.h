// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What clients ask for, checked as far as that needs no model. What asks for
// something that this server does not do is refused, so that nobody takes an
// answer for something that it is not (OtherFields.h).

#ifndef TRANSFOLD_RUNTIME_SERVE_REQUESTS_H
#define TRANSFOLD_RUNTIME_SERVE_REQUESTS_H

#include "runtime/chat/Render.h"
#include "runtime/steps/Sampling.h"

#include <functional>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace transfold::runtime::serve {

/// A text, or ids of tokens.
using TextOrIds = std::variant<std::string, std::vector<int32_t>>;

/// How tokens are drawn, as far as a request says it.
struct AskedSampling {
  std::optional<double> temperature = {}, topP = {}, minP = {},
                        repetitionPenalty = {};
  std::optional<int64_t> topK = {};
  std::optional<uint64_t> seed = {}; // else whoever answers takes one

  /// With what else holds, in the place of what it does not say.
  SamplingOptions over(SamplingOptions usual) const;
};

/// Of /v1/chat/completions and /v1/completions.
struct CompletionRequest {
  std::string model; // empty: whatever is there
  bool isChat = false;
  chat::Conversation conversation; // of a chat
  TextOrIds prompt;                // else
  int64_t most = 0;                // new tokens; 0: as there is room
  AskedSampling sampling;
  bool ignoreEnd = false;
  std::vector<std::string> stops;
  /// For each token its log probability, and the likeliest beside it.
  bool isScored = false;
  size_t topScores = 0;
  bool stream = false, streamsUsage = false;
};

struct EmbeddingRequest {
  std::string model;
  std::vector<TextOrIds> inputs;
  bool asBase64 = false;
  bool truncate = false; // what is too long is cut, not refused
  std::optional<int64_t> dimensions;
};

/// Each reads the text of a body. Throw ApiError, and what `look` throws, which
/// is called now and then.
using Look = std::function<void()>;
CompletionRequest readChatRequest(std::string_view body, const Look &look = {});
CompletionRequest readCompletionRequest(std::string_view body,
                                        const Look &look = {});
EmbeddingRequest readEmbeddingRequest(std::string_view body,
                                      const Look &look = {});

} // namespace transfold::runtime::serve

#endif // TRANSFOLD_RUNTIME_SERVE_REQUESTS_H
