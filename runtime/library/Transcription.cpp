// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Transcription requests: samples or a file in, JSON out.

#include "runtime/library/GivenOptions.h"
#include "runtime/library/SessionHandle.h"
#include "runtime/steps/sampling/NumberRange.h"
#include "runtime/tasks/speech/Transcripts.h"

#include <string>

namespace transfold::runtime::inline library {

namespace {

/// The caller's options, checked.
tfold_transcribe_options optionsOf(const tfold_transcribe_options *given) {
  tfold_transcribe_options result =
      copyOf(given, "options have the size {}; it is "
                    "sizeof(tfold_transcribe_options)");
  if (result.beams && !ranges::beams.has(result.beams)) // 0: no beam search
    failWith(TFOLD_ERROR_ARGUMENT, "a search with {} beams is not possible",
             result.beams);
  return result;
}

} // namespace

tfold_status
SessionHandle::hear(const tfold_transcribe_options *options,
                    tfold_result **result,
                    const std::function<Recording(int64_t)> &read) {
  return serve(result, [&](ResultHandle &made) {
    const Task *task = Transcriber::hearingTask(program.metadata());
    needTask(task ? task->kind.c_str() : "transcribe");
    if (!task || !task->speech->frames)
      needTokenizer();
    Transcriber &transcriber =
        madeBy(kept.transcriber, [this] { return Transcriber::make(session); });
    tfold_transcribe_options given = optionsOf(options);
    TranscriptionOptions asked;
    if (given.language)
      asked.language = given.language;
    asked.translates = given.translate != 0;
    asked.hasTimes = given.timestamps != 0;
    asked.beams = given.beams ? given.beams : 1;
    try {
      transcriber.check(asked);
    } catch (const Error &error) {
      failWith(TFOLD_ERROR_UNSUPPORTED, "{}", error.what());
    }
    Recording recording = read(transcriber.rate());
    Transcription transcription(recording, asked);
    Transcription *one[] = {&transcription};
    while (!transcription.isOver())
      transcriber.advance(one, [this] { return isCancelled.load(); });
    made.say(toJson(transcription)
                 .dump(-1, ' ', false,
                       nlohmann::ordered_json::error_handler_t::replace));
  });
}

tfold_status SessionHandle::transcribe(const float *samples, size_t count,
                                       int64_t rate,
                                       const tfold_transcribe_options *options,
                                       tfold_result **result) {
  return hear(options, result, [&](int64_t wanted) {
    auto all = listOf(samples, count, "samples");
    return Recording::ofSamples({all.begin(), all.end()}, rate ? rate : wanted,
                                wanted);
  });
}

tfold_status
SessionHandle::transcribeFile(const char *path,
                              const tfold_transcribe_options *options,
                              tfold_result **result) {
  return hear(options, result, [&](int64_t wanted) {
    if (!path)
      failWith(TFOLD_ERROR_ARGUMENT, "path is null");
    // Standard input belongs to the calling program, so "-" is an ordinary file
    // name.
    std::string file(path);
    try {
      return Recording::ofFile(file == "-" ? "./-" : file, wanted);
    } catch (const Error &error) {
      failWith(TFOLD_ERROR_FILE, "{}", error.what());
    }
  });
}

} // namespace transfold::runtime::inline library
