// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes transcriptions in the formats that a request may ask for. Warnings are
// in JSON as well as in header fields, since the other formats have no place
// for them.

#include "runtime/serve/api/AudioReplies.h"

#include "runtime/serve/api/ApiError.h"
#include "runtime/tasks/speech/Transcripts.h"

#include <algorithm>
#include <cmath>

namespace transfold::runtime::serve {

namespace {

/// The usage of a transcription is its duration, in whole seconds.
nlohmann::ordered_json usageOf(const Transcription &transcription) {
  return {{"type", "duration"},
          {"seconds", std::ceil(transcription.seconds())}};
}

nlohmann::ordered_json shortReply(const Transcription &transcription) {
  nlohmann::ordered_json reply = {{"text", textOf(transcription.segments())},
                                  {"usage", usageOf(transcription)}};
  if (!transcription.warnings().empty())
    reply["warnings"] = transcription.warnings();
  return reply;
}

/// A warning as the value of an HTTP header; it may contain a file name.
std::string headerOf(std::string text) {
  std::ranges::replace_if(text, [](char c) { return c < ' ' || c > '~'; }, '?');
  return text;
}

nlohmann::ordered_json verboseReply(const Transcription &transcription,
                                    bool translates) {
  nlohmann::ordered_json reply = toJson(transcription);
  reply["task"] = translates ? "translate" : "transcribe";
  for (nlohmann::ordered_json &segment : reply["segments"])
    segment["temperature"] = 0.0;
  reply["usage"] = usageOf(transcription);
  return reply;
}

} // namespace

HttpReply audioReply(const Transcription &transcription,
                     AudioRequest::Format format, bool translates) {
  HttpReply reply;
  for (const std::string &problem : transcription.warnings())
    reply.headers.emplace_back("Transfold-Warning", headerOf(problem));
  switch (format) {
  case AudioRequest::Format::Json:
    reply.body = dump(shortReply(transcription));
    break;
  case AudioRequest::Format::VerboseJson:
    reply.body = dump(verboseReply(transcription, translates));
    break;
  case AudioRequest::Format::Text:
    reply.contentType = "text/plain; charset=utf-8";
    reply.body = written(TranscriptFormat::Text, transcription);
    break;
  case AudioRequest::Format::Srt:
    reply.contentType = "text/plain; charset=utf-8";
    reply.body = written(TranscriptFormat::Srt, transcription);
    break;
  case AudioRequest::Format::Vtt:
    reply.contentType = "text/vtt; charset=utf-8";
    reply.body = written(TranscriptFormat::Vtt, transcription);
    break;
  }
  return reply;
}

} // namespace transfold::runtime::serve
