// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The options of sampling. Its numbers are told once, in a table: name, member,
// range and help. The command line, /set in a conversation, HTTP requests, the
// options of a model's task, the settings of the C, C++ and Python libraries,
// and the sampler's own check are loops over this table, so that a new number
// has all of them. What a number does to scores is in LogitsProcessors.h, or in
// Sampling.cpp if it only limits what is sampled.

#pragma once

#include "runtime/constrain/Forward.h"
#include "runtime/program/metadata/TokenRules.h"
#include "runtime/steps/sampling/NumberRange.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <tuple>
#include <type_traits>
#include <vector>

namespace transfold::runtime::inline steps {

/// A number that is added to the logit of a token.
struct TokenBias {
  int32_t token;
  double bias;
};

/// Options of the selection of tokens. The default of each number of the table
/// below has no effect.
struct SamplingOptions {
  double temperature = 0; // 0: greedy, always the most likely token
  int64_t topK = 0;       // only the K most likely; 0: all
  double topP = 1;        // only the most likely with a total probability of P
  /// Only tokens with at least P times the probability of the most likely one.
  double minP = 0;
  /// Applied to the logits of tokens that occurred before, Keskar 2019.
  double repetitionPenalty = 1;
  /// Subtracted from the logit of a generated token once, and for each of its
  /// occurrences.
  double presencePenalty = 0, frequencyPenalty = 0;
  uint64_t seed = 0;
  /// Return log probabilities, which costs one exp per vocabulary token.
  bool isScored = false;
  std::vector<int32_t> suppressed = {}; // never generated
  std::vector<TokenBias> biases = {};
  /// What the text follows; null: nothing. Not for beam search.
  std::shared_ptr<const TextConstraint> constraint = {};
  TokenRules rules = {}; // of the model
};

/// A number of SamplingOptions that users set.
template <typename Number> struct SamplingField {
  const char *name; // "top_k": in JSON, in specs and in the libraries
  Number SamplingOptions::*member;
  NumberRange<Number> range; // of valid values
  const char *help;
  /// It only limits what is sampled: without effect at temperature 0.
  bool isLimit = false;

  /// Of all numbers it alone decides whether tokens are sampled.
  bool isTemperature() const {
    if constexpr (std::is_same_v<Number, double>)
      return member == &SamplingOptions::temperature;
    return false;
  }

  /// "top-k": on the command line.
  std::string word() const {
    std::string result = name;
    std::ranges::replace(result, '_', '-');
    return result;
  }
};

inline constexpr std::tuple samplingFields = {
    // 0 is greedy; any value above it, however small, samples.
    SamplingField<double>{"temperature",
                          &SamplingOptions::temperature,
                          {0, 100},
                          "Sample tokens; higher values give more random ones"},
    SamplingField<int64_t>{"top_k",
                           &SamplingOptions::topK,
                           {0, int64_t{1} << 30},
                           "Sample from the K likeliest tokens (0: all)",
                           /*isLimit=*/true},
    SamplingField<double>{"top_p",
                          &SamplingOptions::topP,
                          {0, 1},
                          "Sample from the likeliest tokens whose "
                          "probabilities sum to P",
                          /*isLimit=*/true},
    SamplingField<double>{"min_p",
                          &SamplingOptions::minP,
                          {0, 1},
                          "Sample from tokens at least P times as likely as "
                          "the likeliest",
                          /*isLimit=*/true},
    SamplingField<double>{"repetition_penalty",
                          &SamplingOptions::repetitionPenalty,
                          {0.01, 100},
                          "Make tokens that already occurred less likely"},
    SamplingField<double>{"presence_penalty",
                          &SamplingOptions::presencePenalty,
                          {-2, 2},
                          "Subtracted from the logits of tokens that were "
                          "generated before"},
    SamplingField<double>{"frequency_penalty",
                          &SamplingOptions::frequencyPenalty,
                          {-2, 2},
                          "Subtracted from a token's logit for each time that "
                          "it was generated before"}};

inline constexpr size_t samplingFieldCount =
    std::tuple_size_v<decltype(samplingFields)>;

/// Calls visit(field, index) for each field of the table, in order.
void forEachSamplingField(auto &&visit) {
  std::apply(
      [&](const auto &...field) {
        size_t index = 0;
        (visit(field, index++), ...);
      },
      samplingFields);
}

} // namespace transfold::runtime::inline steps
