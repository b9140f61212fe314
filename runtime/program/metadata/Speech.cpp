// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads the options of a transcription. They come from configuration files of
// models, which differ in how they write absent values and single tokens.

#include "runtime/program/metadata/Speech.h"

#include "base/Error.h"
#include "runtime/program/metadata/TokenIds.h"

#include <nlohmann/json.hpp>

#include <cmath>

namespace transfold::runtime::inline program {

using json = nlohmann::ordered_json;

namespace {

constexpr const char *damaged = "the program's metadata is damaged";

/// The value of an option, or null if it is absent or null.
const json *find(const json &options, const char *name) {
  auto found = options.find(name);
  return found == options.end() || found->is_null() ? nullptr : &*found;
}

/// The value as an integer. Throws Error.
int64_t integerOf(const json &value, const char *name) {
  if (!value.is_number_integer())
    fail("{}: '{}' has {}, which is not a whole number", damaged, name,
         value.dump());
  return value.get<int64_t>();
}

/// A token option; configurations also write it as a list with one token.
std::optional<int32_t> tokenOption(const json &options, const char *name,
                                   int64_t known) {
  const json *value = find(options, name);
  if (!value || value->empty())
    return std::nullopt;
  const json &id = value->is_array() ? value->front() : *value;
  return tokenOf(integerOf(id, name), known, damaged);
}

/// The texts of tokens by their ids, from a record of ids by text.
std::vector<std::string> wordsOf(const json &ids, int64_t known) {
  std::vector<std::string> words(static_cast<size_t>(known));
  for (const auto &[text, id] : ids.items())
    words[static_cast<size_t>(
        tokenOf(integerOf(id, "words"), known, damaged))] = text;
  return words;
}

/// What a model that scores each frame says of its tokens; nullopt for others.
std::optional<Speech::Frames> framesOf(const json &options, int64_t known) {
  auto blank = tokenOption(options, "blank", known);
  if (!blank)
    return std::nullopt;
  Speech::Frames frames;
  frames.blank = *blank;
  if (const json *words = find(options, "words"))
    frames.words = wordsOf(*words, known);
  if (const json *delimiter = find(options, "delimiter"))
    frames.delimiter = delimiter->get<std::string>();
  if (const json *window = find(options, "window"))
    frames.window = window->get<double>();
  if (!(frames.window >= 1 && frames.window <= 3600))
    fail("{}: 'window' is {}", damaged, frames.window);
  return frames;
}

} // namespace

std::string languageCode(std::string_view name) {
  auto isPart = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
           (c >= '0' && c <= '9');
  };
  while (!name.empty() && !isPart(name.front()))
    name.remove_prefix(1);
  while (!name.empty() && !isPart(name.back()))
    name.remove_suffix(1);
  return std::string(name);
}

std::optional<Speech> Speech::parse(const json &options, int64_t known) {
  const json *rate = find(options, "rate");
  if (!rate)
    return std::nullopt;
  Speech result;
  result.rate = integerOf(*rate, "rate");
  if (result.rate < 1 || result.rate > (int64_t{1} << 20))
    fail("{}: 'rate' is {}", damaged, result.rate);
  result.frames = framesOf(options, known);
  result.times = tokenOption(options, "times", known);
  result.withoutTimes = tokenOption(options, "without_times", known);
  result.transcribe = tokenOption(options, "transcribe", known);
  result.translate = tokenOption(options, "translate", known);
  result.noSpeech = tokenOption(options, "no_speech", known);
  if (const json *step = find(options, "time_step"))
    result.timeStep = step->get<double>();
  if (!(result.timeStep > 0 && result.timeStep < 60))
    result.times.reset(); // their unit is unknown
  if (const json *latest = find(options, "latest_begin"))
    result.latestBegin = integerOf(*latest, "latest_begin");
  if (result.latestBegin && *result.latestBegin < 0)
    fail("{}: 'latest_begin' is {}", damaged, *result.latestBegin);
  if (const json *language = find(options, "language"))
    result.onlyLanguage = language->get<std::string>();
  if (const json *languages = find(options, "languages")) {
    for (const auto &[name, id] : languages->items())
      result.languages.emplace_back(
          languages->is_object() ? languageCode(name) : "",
          tokenOf(integerOf(id, "languages"), known, damaged));
  }
  return result;
}

} // namespace transfold::runtime::inline program
