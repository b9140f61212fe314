// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Parsed requests, checked as far as this is possible without the model.
// Requests for unsupported features are refused, so that no client mistakes the
// answer for something else (OtherFields.h).

#pragma once

#include "runtime/chat/Render.h"
#include "runtime/constrain/Forward.h"
#include "runtime/serve/calls/Tools.h"
#include "runtime/steps/sampling/SamplingOptions.h"

#include <bitset>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace transfold::runtime::serve {

/// A text, or token ids.
using TextOrIds = std::variant<std::string, std::vector<int32_t>>;

/// Sampling options that a request sets.
struct AskedSampling {
  SamplingOptions values = {};
  std::bitset<samplingFieldCount> areSet = {}; // which numbers of `values`
  std::vector<TokenBias> biases = {};
  std::optional<uint64_t> seed = {}; // unset: chosen at random by the server

  /// Returns `usual` with the options that are set replaced.
  SamplingOptions over(SamplingOptions usual) const;
};

/// A request to /v1/chat/completions or /v1/completions.
struct CompletionRequest {
  std::string model; // empty: the model served
  bool isChat = false;
  chat::Conversation conversation; // if isChat
  std::vector<TextOrIds> prompts;  // otherwise
  size_t answers = 1;              // to each prompt
  bool echo = false;               // an answer begins with its prompt
  /// Which tokens of a prompt are left out if it leaves no room for an answer.
  enum class Cut { None, Front, Middle, End } cut = Cut::None;
  int64_t most = 0; // maximum number of new tokens; 0: as many as fit
  AskedSampling sampling;
  bool ignoreEnd = false;
  std::vector<std::string> stops;
  /// What an answer follows; null: any text.
  std::shared_ptr<const Grammar> constraint;
  AskedTools tools; // the functions that an answer may call
  /// Whether log probabilities are requested, and how many alternatives per
  /// token.
  bool isScored = false;
  size_t topScores = 0;
  bool stream = false, streamsUsage = false;
};

/// A request to /v1/embeddings.
struct EmbeddingRequest {
  std::string model;
  std::vector<TextOrIds> inputs;
  bool asBase64 = false;
  /// Truncate texts that are too long instead of refusing them.
  bool truncate = false;
  std::optional<int64_t> dimensions;
};

/// A request to /v1/rerank.
struct RerankRequest {
  std::string model, query;
  std::vector<std::string> documents;
  std::optional<size_t> top; // unset: all documents
  bool returnsDocuments = false;
  /// Truncate texts that are too long instead of refusing them.
  bool truncate = false;
};

/// A request to /tokenize.
struct TokenizeRequest {
  std::string model, text;
  /// Add the special tokens that the model expects around a text.
  bool addsSpecial = true;
  /// Special tokens that the text spells, such as "</s>", are tokens.
  bool readsSpecial = true;
  /// Return the texts of the tokens in a list of their own, or beside each id.
  bool returnsTexts = false, returnsPieces = false;
};

/// A request to /detokenize.
struct DetokenizeRequest {
  std::string model;
  std::vector<int32_t> tokens;
};

/// Called regularly while a request is read; may throw.
using Look = std::function<void()>;
/// Reads the body of /v1/chat/completions. Like the functions below, throws
/// ApiError, and what `look` throws.
CompletionRequest readChatRequest(std::string_view body, const Look &look = {});
/// Reads the body of /v1/completions.
CompletionRequest readCompletionRequest(std::string_view body,
                                        const Look &look = {});
/// Reads the body of /v1/embeddings.
EmbeddingRequest readEmbeddingRequest(std::string_view body,
                                      const Look &look = {});
/// Reads the body of /v1/rerank.
RerankRequest readRerankRequest(std::string_view body, const Look &look = {});
/// Read the bodies of /tokenize and /detokenize.
TokenizeRequest readTokenizeRequest(std::string_view body,
                                    const Look &look = {});
DetokenizeRequest readDetokenizeRequest(std::string_view body,
                                        const Look &look = {});

} // namespace transfold::runtime::serve
