// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads the fields of the form one by one. A field that is neither read nor
// known to have no effect is refused.

#include "runtime/serve/api/AudioRequests.h"

#include "runtime/serve/api/OtherFields.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <set>
#include <utility>

namespace transfold::runtime::serve {

namespace {

constexpr size_t longestField = 1024, longestName = 255;

constexpr std::pair<std::string_view, AudioRequest::Format> formats[] = {
    {"json", AudioRequest::Format::Json},
    {"text", AudioRequest::Format::Text},
    {"srt", AudioRequest::Format::Srt},
    {"verbose_json", AudioRequest::Format::VerboseJson},
    {"vtt", AudioRequest::Format::Vtt},
};

/// Fields that are accepted only if they are empty.
constexpr std::pair<std::string_view, const char *> refused[] = {
    {"prompt", "previous texts are not supported."},
    {"include", "is not supported."},
    {"include[]", "is not supported."},
    {"chunking_strategy", "is not supported: windows follow one another."},
    {"known_speaker_names[]", "is not supported."},
    {"known_speaker_references[]", "is not supported."},
};

/// Fields that are read, and fields that have no effect.
constexpr std::string_view known[] = {
    "file",        "model",  "language",
    "temperature", "stream", "response_format",
    "user",        "prompt", "timestamp_granularities[]"};

/// Throws ApiError unless the value is 0: transcriptions are not sampled.
void readTemperature(const std::string &value) {
  double temperature = 1;
  const char *end = value.data() + value.size();
  auto [rest, problem] = std::from_chars(value.data(), end, temperature);
  if (problem != std::errc() || rest != end || temperature != 0)
    throw badRequest("'temperature': only 0 is supported: the likeliest text.",
                     "temperature");
}

AudioRequest::Format formatOf(const std::string &name) {
  auto found = std::ranges::find(
      formats, name, &std::pair<std::string_view, AudioRequest::Format>::first);
  if (found == std::end(formats))
    throw badRequest("'response_format' must be json, text, srt, verbose_json "
                     "or vtt.",
                     "response_format");
  return found->second;
}

bool isRefused(const std::string &name) {
  return std::ranges::any_of(
      refused, [&](const auto &each) { return each.first == name; });
}

/// Clients write this field with and without brackets.
bool isGranularity(const std::string &name) {
  return name == "timestamp_granularities" ||
         name == "timestamp_granularities[]";
}

/// Reads one field that is not the file. Throws ApiError.
void readField(const HttpPart &part, AudioRequest &request) {
  const std::string &name = part.name, &value = part.content;
  if (value.size() > longestField)
    throw badRequest(fmt::format("'{}' is longer than {} bytes.",
                                 name.substr(0, longestName), longestField),
                     name.substr(0, longestName));
  for (const auto &[other, why] : refused)
    if (name == other && !value.empty())
      throw badRequest(fmt::format("'{}': {}", name, why), name);
  if (name == "model")
    request.model = value;
  else if (name == "language")
    request.language = value;
  else if (name == "response_format")
    request.format = formatOf(value);
  else if (name == "temperature")
    readTemperature(value);
  else if (name == "stream" && value != "false" && value != "0")
    throw badRequest("'stream': the answer is sent as a whole.", "stream");
  else if (isGranularity(name) && value != "segment")
    throw badRequest("'timestamp_granularities': only segment is supported.",
                     "timestamp_granularities");
  else if (std::ranges::find(known, name) == std::end(known) &&
           !isGranularity(name) && !isRefused(name))
    throw unknownField(name, {std::begin(known), std::end(known)});
}

} // namespace

AudioRequest readAudioRequest(std::span<const HttpPart> form) {
  AudioRequest request;
  bool hasFile = false;
  for (const HttpPart &part : form) {
    if (part.name != "file") {
      readField(part, request);
      continue;
    }
    if (std::exchange(hasFile, true))
      throw badRequest("'file' is given twice; send a request for each.",
                       "file");
    request.file = part.content;
    request.fileName = part.fileName.substr(0, longestName);
  }
  if (!hasFile)
    throw badRequest("'file' is missing: a recording, as a part of the form.",
                     "file");
  if (request.fileName.empty())
    request.fileName = "recording";
  return request;
}

} // namespace transfold::runtime::serve
