// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How the text of a recording is written down.

#ifndef TRANSFOLD_RUNTIME_TASKS_SPEECH_TRANSCRIPTS_H
#define TRANSFOLD_RUNTIME_TASKS_SPEECH_TRANSCRIPTS_H

#include "runtime/tasks/speech/Transcriber.h"

#include <nlohmann/json.hpp>

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace transfold::runtime {

enum class TranscriptFormat {
  Text,      // alone
  TimedText, // a line for each segment, with its times
  Json,
  Srt, // subtitles, as SubRip writes them
  Vtt, // subtitles for browsers (W3C WebVTT)
};

/// "text", "json", "srt" or "vtt".
std::optional<TranscriptFormat> transcriptFormat(std::string_view name);
/// The end of a file's name, with its point.
std::string_view fileEnd(TranscriptFormat format);

/// "00:01:02.345" of seconds; `point` stands before the milliseconds.
std::string clockTime(double seconds, char point = '.');

/// What comes before the first segment.
std::string_view head(TranscriptFormat format);
/// Segment `number`, from 0 on, of a format that has segments one by one: all
/// but Json. Text has no end of a line, and goes on behind what was written.
std::string written(TranscriptFormat format, const Segment &segment,
                    size_t number);

/// All of a segment: {"id", "start", "end", "text", "tokens", ...}.
nlohmann::ordered_json toJson(const Segment &segment, size_t number);
/// {"language", "duration", "text", "segments"}; a language that is not known
/// is left out.
nlohmann::ordered_json toJson(const Transcription &transcription);
/// The whole of a recording.
std::string written(TranscriptFormat format,
                    const Transcription &transcription);

} // namespace transfold::runtime

#endif // TRANSFOLD_RUNTIME_TASKS_SPEECH_TRANSCRIPTS_H
