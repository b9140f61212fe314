// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checks arguments before they are used: callers in other languages pass null
// pointers, wrong sizes, and structures of other versions of the header.

#include "runtime/library/Arguments.h"

#include "base/text/TerminalText.h"
#include "runtime/program/metadata/TokenIds.h"
#include "runtime/steps/sampling/SamplingOptions.h"

#include <algorithm>
#include <cstring>

namespace transfold::runtime::inline library {

std::string_view textOf(const tfold_text &text, const std::string &name) {
  if (!text.data && text.size)
    failWith(TFOLD_ERROR_ARGUMENT, "{} is null", name);
  if (text.size == TFOLD_TERMINATED)
    return {text.data, std::strlen(text.data)};
  if (text.size > PTRDIFF_MAX)
    failWith(TFOLD_ERROR_ARGUMENT, "{} cannot have {} bytes", name, text.size);
  return {text.data, text.size};
}

std::string_view textOf(const tfold_text *text, const char *name) {
  if (!text)
    failWith(TFOLD_ERROR_ARGUMENT, "{} is null", name);
  return textOf(*text, name);
}

NpyArray arrayOf(const tfold_array &array) {
  constexpr int32_t mostAxes = 32;
  if (!array.name || !*array.name)
    failWith(TFOLD_ERROR_ARGUMENT, "an array has no name");
  if (array.type < TFOLD_FLOAT32 || array.type > TFOLD_BOOL)
    failWith(TFOLD_ERROR_ARGUMENT, "{}: there is no type {}", array.name,
             static_cast<int>(array.type));
  if (array.rank < 0 || array.rank > mostAxes)
    failWith(TFOLD_ERROR_ARGUMENT, "{}: the rank is {}; it can be 0 to {}",
             array.name, array.rank, mostAxes);
  auto rank = static_cast<size_t>(array.rank);
  if (rank && !array.shape)
    failWith(TFOLD_ERROR_ARGUMENT, "{}: the shape is null", array.name);
  // Both enumerations have the same order.
  auto type = static_cast<NpyArray::Type>(array.type);
  NpyArray view(type, {array.shape, rank}, array.data);
  if (view.elements() && !array.data)
    failWith(TFOLD_ERROR_ARGUMENT, "{}: the data are null", array.name);
  return view;
}

namespace {

/// Throws Failure if a value is not in its range.
template <typename Number>
void checkRange(const char *name, Number value, NumberRange<Number> range) {
  if (!range.has(value))
    failWith(TFOLD_ERROR_ARGUMENT, "{} is {}; it can be {} to {}", name, value,
             range.least, range.most);
}

/// "temperature, top_k, …": the names that settings may have.
std::string namesOfSettings() {
  std::string names;
  forEachSamplingField([&](const auto &field, size_t index) {
    names += fmt::format("{}{}", index ? ", " : "", field.name);
  });
  return names;
}

/// Sets the number of sampling that has the setting's name.
void apply(const tfold_setting &setting, SamplingOptions &sampling) {
  if (!setting.name)
    failWith(TFOLD_ERROR_ARGUMENT, "a setting has no name");
  const std::string_view name = setting.name;
  bool isKnown = false;
  forEachSamplingField(
      [&]<typename Number>(const SamplingField<Number> &field, size_t) {
        if (name != field.name)
          return;
        isKnown = true;
        // First as a real number: a conversion of NaN or of 1e300 to an integer
        // is undefined.
        checkRange(field.name, setting.value,
                   NumberRange<double>{static_cast<double>(field.range.least),
                                       static_cast<double>(field.range.most)});
        sampling.*field.member = static_cast<Number>(setting.value);
        if (static_cast<double>(sampling.*field.member) != setting.value)
          failWith(TFOLD_ERROR_ARGUMENT, "{} is {}; it must be an integer",
                   name, setting.value);
      });
  if (!isKnown)
    failWith(TFOLD_ERROR_ARGUMENT, "there is no setting '{}'; there are {}",
             shownOnTerminal(name), namesOfSettings());
}

/// The numbers of sampling: the fields of the structure that had them before
/// there were settings, then the settings.
SamplingOptions samplingOf(const tfold_generate_options &given) {
  SamplingOptions sampling = {.temperature = given.temperature,
                              .topK = given.top_k,
                              .topP = given.top_p,
                              .minP = given.min_p,
                              .repetitionPenalty = given.repetition_penalty,
                              .seed = given.seed,
                              .isScored = given.log_probabilities != 0};
  for (const tfold_setting &setting :
       listOf(given.settings, given.setting_count, "settings"))
    apply(setting, sampling);
  return sampling;
}

/// Checks each option by itself, and options that contradict each other.
void checkRanges(const tfold_generate_options &given,
                 const SamplingOptions &sampling) {
  constexpr NumberRange<int64_t> orUsual = {
      0, ranges::tokens.most}; // 0: the default
  checkRange("max_tokens", given.max_tokens, orUsual);
  forEachSamplingField([&](const auto &field, size_t) {
    checkRange(field.name, sampling.*field.member, field.range);
  });
  checkRange("beams", given.beams, ranges::beams);
  checkRange("length_penalty", given.length_penalty, ranges::lengthPenalty);
  checkRange("chunk", given.chunk, orUsual);
  if (given.beams > 1 && sampling.temperature > 0)
    failWith(TFOLD_ERROR_ARGUMENT,
             "temperature samples tokens and beams search for the likeliest: "
             "give one of them");
  if (given.ignore_end && given.end_token_count)
    failWith(TFOLD_ERROR_ARGUMENT,
             "end_tokens and ignore_end: give one of them");
}

/// Copies a list of the caller, whose memory may be gone after the request.
std::vector<int32_t> idsOf(const int32_t *ids, size_t count, const char *name) {
  std::span<const int32_t> all = listOf(ids, count, name);
  return {all.begin(), all.end()};
}

} // namespace

RequestOptions optionsOf(const tfold_generate_options *options, int64_t most) {
  tfold_generate_options given;
  tfold_generate_options_init(&given, sizeof given);
  if (options) {
    // A smaller size, such as 0, was not set by tfold_generate_options_init().
    if (options->size < offsetof(tfold_generate_options, temperature))
      failWith(TFOLD_ERROR_ARGUMENT,
               "the options' size is {}: tfold_generate_options_init sets it",
               options->size);
    std::memcpy(&given, options, std::min(options->size, sizeof given));
  }
  RequestOptions result;
  result.sampling = samplingOf(given);
  checkRanges(given, result.sampling);
  result.most = given.max_tokens ? given.max_tokens : most;
  result.chunk = given.chunk;
  result.sampling.suppressed =
      idsOf(given.suppress, given.suppress_count, "suppress");
  result.start = idsOf(given.start, given.start_count, "start");
  result.ends = idsOf(given.end_tokens, given.end_token_count, "end_tokens");
  result.ignoreEnd = given.ignore_end != 0;
  result.beams = given.beams;
  result.lengthPenalty = given.length_penalty;
  result.earlyStopping = given.early_stopping != 0;
  for (const tfold_text &stop : listOf(given.stop, given.stop_count, "stop")) {
    result.stops.emplace_back(textOf(stop, "a stop text"));
    if (result.stops.back().empty())
      failWith(TFOLD_ERROR_ARGUMENT, "a stop text is empty: it would end every "
                                     "result before it begins");
  }
  result.stream = given.stream;
  result.context = given.context;
  return result;
}

void checkIds(const Generator &generator, const GenerationOptions &options) {
  if (!options.start.empty() && !generator.encoder())
    failWith(TFOLD_ERROR_UNSUPPORTED, "start is what a result begins with "
                                      "after an encoder; this model has none");
  checkTokens(options.start, generator.knownTokens(), "start");
  checkTokens(options.ends, generator.vocabulary(), "end_tokens");
  checkTokens(options.sampling.suppressed, generator.vocabulary(), "suppress");
}

} // namespace transfold::runtime::inline library
