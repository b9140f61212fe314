// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Formats for the text of a recording.

#pragma once

#include "runtime/tasks/speech/Transcriber.h"

#include <nlohmann/json.hpp>

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace transfold::runtime::inline tasks {

/// Output formats.
enum class TranscriptFormat {
  Text,      // the text only
  TimedText, // a line for each segment, with its times
  Json,
  Srt, // subtitles in the SubRip format
  Vtt, // subtitles for browsers (W3C WebVTT)
};

/// The format called "text", "json", "srt" or "vtt"; nullopt for other names.
std::optional<TranscriptFormat> transcriptFormat(std::string_view name);
/// The file name extension, with its dot.
std::string_view fileEnd(TranscriptFormat format);

/// A time in seconds as "00:01:02.345"; `point` precedes the milliseconds.
std::string clockTime(double seconds, char point = '.');

/// Text before the first segment.
std::string_view head(TranscriptFormat format);
/// Segment `number`, counted from 0, in a format that has separate segments:
/// all but Json. In the format Text, segments are not separated by line breaks.
std::string written(TranscriptFormat format, const Segment &segment,
                    size_t number);

/// A segment with all its values: {"id", "start", "end", "text", "tokens",
/// ...}.
nlohmann::ordered_json toJson(const Segment &segment, size_t number);
/// {"language", "duration", "text", "segments"}; an unknown language is
/// omitted.
nlohmann::ordered_json toJson(const Transcription &transcription);
/// The whole transcript in any format.
std::string written(TranscriptFormat format,
                    const Transcription &transcription);

} // namespace transfold::runtime::inline tasks
