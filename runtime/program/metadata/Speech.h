// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a speech model specifies about its audio input and its tokens: options
// of its task (docs/language.md).

#pragma once

#include <nlohmann/json_fwd.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace transfold::runtime::inline program {

struct Speech {
  int64_t rate = 0; // samples per second
  /// The token of time 0, which is followed by the other times in steps of
  /// `timeStep` seconds; and the token that announces a text without times.
  std::optional<int32_t> times, withoutTimes;
  double timeStep = 0;
  /// The latest time, in steps, at which speech in a window may begin.
  std::optional<int64_t> latestBegin;
  /// Tokens that request the text in the language spoken, or in English.
  std::optional<int32_t> transcribe, translate;
  /// The token whose probability, after the first token of the prompt, is that
  /// of a window without speech.
  std::optional<int32_t> noSpeech;
  /// Languages and their tokens: a code ("en"), or empty if the tokenizer's
  /// name of the token gives it. Empty: the model has a single language.
  std::vector<std::pair<std::string, int32_t>> languages;
  /// The code of that language; empty if it is unknown.
  std::string onlyLanguage;

  /// The tokens of a model that scores one for each frame of a recording (CTC).
  struct Frames {
    int32_t blank = 0; // no token
    /// The text of each token; empty: the tokenizer has it.
    std::vector<std::string> words;
    std::string delimiter; // the text that stands between words
    double window = 30;    // seconds that are read at once
  };
  std::optional<Frames> frames; // of a model that does not generate tokens

  /// Reads a task's options; nullopt if they have no rate. The model generates
  /// the tokens 0 to `known` - 1. Throws Error if the options are not valid.
  static std::optional<Speech> parse(const nlohmann::ordered_json &options,
                                     int64_t known);
};

/// "en" for "<|en|>": the language code in a token's name, without the
/// characters around it.
std::string languageCode(std::string_view name);

} // namespace transfold::runtime::inline program
