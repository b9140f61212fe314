// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a model that hears speech says of its sound and of its tokens: options
// of its task (docs/language.md).

#ifndef TRANSFOLD_RUNTIME_PROGRAM_SPEECH_H
#define TRANSFOLD_RUNTIME_PROGRAM_SPEECH_H

#include <nlohmann/json_fwd.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace transfold::runtime {

struct Speech {
  int64_t rate = 0; // samples a second
  /// The token of the time 0, which others follow in steps of so many seconds;
  /// and the token which says that no times come.
  std::optional<int32_t> times, withoutTimes;
  double timeStep = 0;
  /// The latest time, in steps, at which somebody begins to speak in a window.
  std::optional<int64_t> latestBegin;
  /// Tokens which say that the text is in the language that is spoken, or in
  /// English.
  std::optional<int32_t> transcribe, translate;
  /// The token whose probability behind the first is that nobody speaks.
  std::optional<int32_t> noSpeech;
  /// Languages and their tokens: a code ("en"), or empty where the tokenizer
  /// tells what a token is called. None: the model knows one language.
  std::vector<std::pair<std::string, int32_t>> languages;
  /// Which one that is; empty where nobody says.
  std::string onlyLanguage;

  /// Of a task's options, where they have a rate; the model makes tokens 0 to
  /// `known` - 1. Throws Error where they are not what the compiler writes.
  static std::optional<Speech> parse(const nlohmann::json &options,
                                     int64_t known);
};

/// "en" of "<|en|>": what is called after a language, without what is put
/// around it.
std::string languageCode(std::string_view name);

} // namespace transfold::runtime

#endif // TRANSFOLD_RUNTIME_PROGRAM_SPEECH_H
