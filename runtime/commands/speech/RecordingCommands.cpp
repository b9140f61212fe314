// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The part of programs that hear recordings: `transcribe`, and the endpoint for
// recordings.

#include "runtime/commands/ProgramParts.h"
#include "runtime/commands/cli/Interrupt.h"
#include "runtime/commands/speech/Transcribe.h"
#include "runtime/serve/Endpoints.h"
#include "runtime/steps/Generator.h"

#include <algorithm>

namespace transfold::runtime::inline commands {

/// `transcribe --features FILE` stands for `generate`, which reads
/// spectrograms.
static void generateFromFeatures(std::vector<std::string> &words) {
  auto isFeatures = [](const std::string &word) {
    return word == "--features" || word.starts_with("--features=");
  };
  if (!words.empty() && words.front() == "transcribe" &&
      std::ranges::any_of(words, isFeatures))
    words.front() = "generate";
}

static void addTranscribe(CommandSet &commands) {
  if (!Transcriber::canHear(commands.metadata()))
    return;
  auto options = std::make_shared<TranscribeOptions>();
  options->isCancelled = InterruptWatch::isInterrupted;
  CLI::App *app = commands.addForTexts("transcribe", "Transcribe recordings",
                                       options, options->files, transcribe);
  addTranscribeOptions(*app, *options,
                       *Transcriber::hearingTask(commands.metadata())->speech);
  commands.addThreads(app);
  if (generatingTask(commands.metadata()))
    commands.addRewrite(generateFromFeatures);
  commands.addExample("transcribe recording.wav");
  commands.addExample("transcribe --srt --output recording.srt recording.wav");
}

static std::unique_ptr<serve::Endpoint>
makeRecordings(const serve::ServedProgram &served) {
  if (!Transcriber::canHear(served.program.metadata()))
    return nullptr;
  return serve::makeRecordings(served);
}

} // namespace transfold::runtime::inline commands

using namespace transfold::runtime;

extern "C" const ProgramPart transfold_part_recordings = {addTranscribe,
                                                          makeRecordings};
