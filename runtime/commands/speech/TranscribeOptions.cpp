// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Declares the options of `transcribe`. Those that the model does not support
// are still parsed, so that the message can say why.

#include "base/text/Messages.h"
#include "runtime/commands/cli/InRange.h"
#include "runtime/commands/speech/Transcribe.h"

#include <CLI/CLI.hpp>

namespace transfold::runtime::inline commands {

namespace {

/// Adds the option for the format, and --json, --srt and --vtt as
/// abbreviations.
void addFormats(CLI::App &app, TranscribeOptions &options) {
  CLI::Option *format = app.add_option_function<std::string>(
      "--format",
      [&options](const std::string &name) {
        options.format = *transcriptFormat(name);
      },
      "Output format: text, json, srt or vtt (default: text)");
  format->type_name("FORMAT")->check([](const std::string &name) {
    return transcriptFormat(name)
               ? std::string()
               : name + " is not one of text, json, srt and vtt";
  });
  auto flag = [&](const char *name, TranscriptFormat value, const char *help) {
    app.add_flag_callback(
           name, [&options, value] { options.format = value; }, help)
        ->excludes(format);
  };
  flag("--json", TranscriptFormat::Json,
       "A JSON object for each recording, with its segments");
  flag("--srt", TranscriptFormat::Srt, "Subtitles in SubRip's format");
  flag("--vtt", TranscriptFormat::Vtt, "Subtitles for browsers: WebVTT");
}

} // namespace

void addTranscribeOptions(CLI::App &app, TranscribeOptions &options,
                          const Speech &speech) {
  app.footer(fmt::format(
      "Give WAV files with any number of channels and any rate, or - for "
      "standard input;\n"
      "ffmpeg converts others. Long ones are processed window by window, and "
      "text is shown\n"
      "as it is recognized.{1} Examples:\n"
      "  {0} transcribe interview.wav\n"
      "{2}"
      "  {0} transcribe --json --output texts/ *.wav\n"
      "  ffmpeg -i talk.mp3 -f wav - | {0} transcribe -",
      programName(),
      speech.frames ? ""
                    : " With --features FILE it starts from a spectrogram, "
                      "with the\noptions of `generate`.",
      speech.frames
          ? ""
          : fmt::format("  {0} transcribe --timestamps interview.wav\n"
                        "  {0} transcribe --srt --output interview.srt "
                        "interview.wav\n",
                        programName())));
  app.add_flag("--timestamps", options.hasTimes,
               "Print when each piece was spoken");
  addFormats(app, options);
  app.add_option("--output", options.output,
                 "A file for the text, or a folder for one file each")
      ->type_name("PATH");
  CLI::Option *language = app.add_option(
      "--language", options.language, "A code such as de (default: detected)");
  language->type_name("CODE");
  CLI::Option *translate =
      app.add_flag("--translate", options.translates, "Translate into English");
  // Options that the model does not support are hidden, and refused with the
  // reason.
  if (speech.languages.empty())
    language->group("");
  if (!speech.translate)
    translate->group("");
  CLI::Option *beams = app.add_option("--beams", options.beams,
                                      "Beam search with this many beams")
                           ->check(inRange(ranges::beams))
                           ->capture_default_str();
  if (speech.frames)
    beams->group("");
  app.add_flag("--quiet", options.isQuiet, "No progress on standard error");
}

} // namespace transfold::runtime::inline commands
