// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The numbers that control sampling, each told once: its name, its member of
// SamplingOptions, its range and its help. The command line, /set in a
// conversation, HTTP requests, the options of a model's task, the C interface
// and the sampler's own check are loops over this table, so that a new number
// has all of them.

#pragma once

#include "runtime/steps/sampling/Sampling.h"
#include "runtime/steps/sampling/SamplingRanges.h"

#include <algorithm>
#include <cstddef>
#include <string>
#include <tuple>
#include <type_traits>

namespace transfold::runtime::inline steps {

/// A number of SamplingOptions that users set.
template <typename Number> struct SamplingField {
  const char *name; // "top_k": in JSON, in specs and in the C interface
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
    SamplingField<double>{"temperature", &SamplingOptions::temperature,
                          ranges::temperature,
                          "Sample tokens; higher values give more random ones"},
    SamplingField<int64_t>{"top_k", &SamplingOptions::topK, ranges::topK,
                           "Sample from the K likeliest tokens (0: all)",
                           /*isLimit=*/true},
    SamplingField<double>{"top_p", &SamplingOptions::topP, ranges::topP,
                          "Sample from the likeliest tokens whose "
                          "probabilities sum to P",
                          /*isLimit=*/true},
    SamplingField<double>{"min_p", &SamplingOptions::minP, ranges::minP,
                          "Sample from tokens at least P times as likely as "
                          "the likeliest",
                          /*isLimit=*/true},
    SamplingField<double>{"repetition_penalty",
                          &SamplingOptions::repetitionPenalty,
                          ranges::repetitionPenalty,
                          "Make tokens that already occurred less likely"}};

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
