// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes segments as text, subtitles and JSON. Lines of subtitles must not
// contain what their formats use as markup or separators.

#include "runtime/tasks/speech/Transcripts.h"

#include <algorithm>
#include <cmath>

namespace transfold::runtime::inline tasks {

namespace {

/// A format, its name in options, and its file name extension. Options choose
/// TimedText differently, so that it has no name.
struct Format {
  TranscriptFormat format;
  std::string_view name, end;
};
constexpr Format formats[] = {
    {TranscriptFormat::Text, "text", ".txt"},
    {TranscriptFormat::TimedText, "", ".txt"},
    {TranscriptFormat::Json, "json", ".json"},
    {TranscriptFormat::Srt, "srt", ".srt"},
    {TranscriptFormat::Vtt, "vtt", ".vtt"},
};

/// The text of a segment on one line, without spaces at its ends.
std::string lineOf(const Segment &segment) {
  std::string line = textOf(std::span(&segment, 1));
  std::ranges::replace_if(
      line, [](char c) { return c == '\n' || c == '\r'; }, ' ');
  return line;
}

/// Replaces every occurrence of `what`; the replacements are not searched
/// again.
std::string replaced(std::string text, std::string_view what,
                     std::string_view by) {
  for (size_t place = 0; (place = text.find(what, place)) != text.npos;
       place += by.size())
    text.replace(place, what.size(), by);
  return text;
}

/// Escapes text for WebVTT, which has markup.
std::string escaped(std::string text) {
  text = replaced(std::move(text), "&", "&amp;");
  text = replaced(std::move(text), "<", "&lt;");
  return replaced(std::move(text), ">", "&gt;");
}

/// Rounds to milliseconds, as in the other formats.
double rounded(double seconds) { return std::round(seconds * 1000) / 1000; }

} // namespace

std::optional<TranscriptFormat> transcriptFormat(std::string_view name) {
  for (const Format &format : formats)
    if (!format.name.empty() && format.name == name)
      return format.format;
  return std::nullopt;
}

std::string_view fileEnd(TranscriptFormat format) {
  return std::ranges::find(formats, format, &Format::format)->end;
}

std::string clockTime(double seconds, char point) {
  auto all = std::llround(std::max(seconds, 0.0) * 1000);
  return fmt::format("{:02}:{:02}:{:02}{}{:03}", all / 3600000,
                     all / 60000 % 60, all / 1000 % 60, point, all % 1000);
}

std::string_view head(TranscriptFormat format) {
  return format == TranscriptFormat::Vtt ? "WEBVTT\n\n" : "";
}

std::string written(TranscriptFormat format, const Segment &segment,
                    size_t number) {
  switch (format) {
  case TranscriptFormat::Text: {
    size_t begin = number ? 0 : segment.text.find_first_not_of(" \t\r\n");
    return segment.text.substr(std::min(begin, segment.text.size()));
  }
  case TranscriptFormat::TimedText:
    return fmt::format("[{} --> {}] {}\n", clockTime(segment.begin),
                       clockTime(segment.end), lineOf(segment));
  case TranscriptFormat::Srt:
    return fmt::format(
        "{}\n{} --> {}\n{}\n\n", number + 1, clockTime(segment.begin, ','),
        clockTime(segment.end, ','), replaced(lineOf(segment), "-->", "->"));
  case TranscriptFormat::Vtt:
    return fmt::format("{} --> {}\n{}\n\n", clockTime(segment.begin),
                       clockTime(segment.end), escaped(lineOf(segment)));
  case TranscriptFormat::Json:
    break;
  }
  return "";
}

nlohmann::ordered_json toJson(const Segment &segment, size_t number) {
  return {{"id", number},
          {"start", rounded(segment.begin)},
          {"end", rounded(segment.end)},
          {"text", segment.text},
          {"tokens", segment.tokens},
          {"avg_logprob", segment.meanLogProbability},
          {"no_speech_prob", segment.noSpeech}};
}

nlohmann::ordered_json toJson(const Transcription &transcription) {
  nlohmann::ordered_json result;
  if (!transcription.language().empty())
    result["language"] = transcription.language();
  result["duration"] = rounded(transcription.seconds());
  result["text"] = textOf(transcription.segments());
  result["segments"] = nlohmann::ordered_json::array();
  for (const Segment &segment : transcription.segments())
    result["segments"].push_back(toJson(segment, result["segments"].size()));
  if (!transcription.warnings().empty())
    result["warnings"] = transcription.warnings();
  return result;
}

std::string written(TranscriptFormat format,
                    const Transcription &transcription) {
  if (format == TranscriptFormat::Json)
    return toJson(transcription)
               .dump(-1, ' ', false,
                     nlohmann::ordered_json::error_handler_t::replace) +
           "\n";
  if (format == TranscriptFormat::Text)
    return textOf(transcription.segments()) + "\n";
  std::string result(head(format));
  for (size_t i = 0; i < transcription.segments().size(); ++i)
    result += written(format, transcription.segments()[i], i);
  return result;
}

} // namespace transfold::runtime::inline tasks
