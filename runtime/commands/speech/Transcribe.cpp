// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Transcribes files one after another. All inputs and outputs are checked
// before the first is processed, since that may take hours.

#include "runtime/commands/speech/Transcribe.h"

#include "base/Error.h"
#include "base/files/input/FileMapping.h"
#include "base/files/output/OutputFile.h"
#include "base/text/Messages.h"
#include "runtime/audio/FileKinds.h"
#include "runtime/commands/cli/Interrupt.h"
#include "runtime/commands/speech/TranscribeProgress.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <set>
#include <sys/stat.h>

namespace transfold::runtime::inline commands {

namespace {

/// Whether a folder exists at the path.
bool isFolder(const std::string &path) {
  struct stat status;
  return ::stat(path.c_str(), &status) == 0 && S_ISDIR(status.st_mode);
}

/// Opens all files before one is transcribed, so that errors are reported at
/// once.
std::vector<Recording> openAll(const std::vector<std::string> &files,
                               int64_t rate) {
  std::vector<Recording> recordings;
  for (const std::string &file : files) {
    recordings.push_back(Recording::ofFile(file, rate));
    if (recordings.back().samples() == 0)
      fail("{}: has no samples", file);
    for (const std::string &problem : recordings.back().warnings())
      warn(problem);
  }
  return recordings;
}

/// Throws Error if the output is a recording, even if it is not among the
/// inputs: a shell expands `--output *.wav` to a list, whose first file would
/// be overwritten.
void checkNoRecording(const std::string &output) {
  std::error_code ignored;
  if (output.empty() || !std::filesystem::is_regular_file(output, ignored))
    return;
  const FileMapping file(output, FileMapping::As::Replaceable);
  if (isRecording(file.bytes()))
    fail("{}: is a recording and would be overwritten; give a file for the "
         "text, or a folder for one file each, with --output",
         output);
}

/// Standard output: prints segments of a text as soon as they are available.
class Printer {
public:
  Printer(TranscriptFormat format, const std::string &title) : format(format) {
    if (!title.empty())
      print(fmt::format("{}:\n", title));
    print(head(format));
  }
  void show(const Transcription &transcription) {
    for (; shown < transcription.segments().size(); ++shown)
      printNow(written(format, transcription.segments()[shown], shown));
  }
  void end(const std::string &file, const Transcription &transcription) {
    if (format == TranscriptFormat::Text)
      print("\n");
    if (format != TranscriptFormat::Json)
      return;
    nlohmann::ordered_json all = {{"file", file}};
    all.update(toJson(transcription));
    print(all.dump(-1, ' ', false,
                   nlohmann::ordered_json::error_handler_t::replace) +
          "\n");
  }

private:
  TranscriptFormat format;
  size_t shown = 0;
};

/// Transcribes one recording to `printer`, or, if that is null, to the file
/// `to`.
void transcribeOne(Transcriber &transcriber, const Recording &recording,
                   const TranscribeOptions &options, const std::string &file,
                   const std::string &to, Printer *printer) {
  Transcription transcription(recording, options);
  Transcription *one[] = {&transcription};
  TranscribeProgress progress(file, /*isShown=*/printer, options.isQuiet);
  std::optional<OutputFile> output;
  if (!printer)
    output.emplace(to);
  while (!transcription.isOver()) {
    progress.step(transcription.secondsDone(), transcription.seconds());
    try {
      transcriber.advance(one, options.isCancelled);
    } catch (const Error &error) {
      fail("{}: {}", file, error.what());
    }
    if (printer)
      printer->show(transcription);
  }
  if (printer) {
    printer->end(file, transcription);
  } else {
    output->write(written(options.format, transcription));
    output->commit();
  }
  progress.end(transcription.seconds(), to);
  // The warnings of the recording were printed when it was opened.
  for (const std::string &problem :
       std::span(transcription.warnings()).subspan(recording.warnings().size()))
    warn(fmt::format("{}: {}", file, problem));
}

} // namespace

std::vector<std::string> transcriptFiles(const TranscribeOptions &options) {
  const std::string &output = options.output;
  if (output.empty())
    return std::vector<std::string>(options.files.size());
  if (options.files.size() == 1 && !output.ends_with('/') && !isFolder(output))
    return {output};
  std::vector<std::string> result;
  std::set<std::string> names;
  for (const std::string &file : options.files) {
    std::string name =
        file == "-" ? "recording" : std::filesystem::path(file).stem().string();
    name += fileEnd(options.format);
    if (!names.insert(name).second)
      fail("two recordings would be written to {} in {}: transcribe them one "
           "by one",
           name, output);
    result.push_back((std::filesystem::path(output) / name).string());
  }
  if (!isFolder(output) && ::mkdir(output.c_str(), 0777) != 0)
    fail("{}: cannot make the folder: {}", output, std::strerror(errno));
  return result;
}

void transcribe(Session &session, const TranscribeOptions &given) {
  TranscribeOptions options = given;
  if (options.files.empty())
    fail("give a WAV file, or - for standard input (see --help)");
  if (options.format == TranscriptFormat::Text && options.hasTimes)
    options.format = TranscriptFormat::TimedText;
  const bool isSubtitle = options.format == TranscriptFormat::Srt ||
                          options.format == TranscriptFormat::Vtt;
  const bool isPrinted = options.output.empty();
  if (isSubtitle && isPrinted && options.files.size() > 1)
    fail("subtitles of several recordings need --output FOLDER, for one file "
         "each");
  const std::unique_ptr<Transcriber> transcriber = Transcriber::make(session);
  options.hasTimes |= isSubtitle || (options.format == TranscriptFormat::Json &&
                                     transcriber->hasTimes());
  transcriber->check(options);
  std::vector<Recording> recordings =
      openAll(options.files, transcriber->rate());
  std::vector<std::string> to = transcriptFiles(options);
  checkOutputs(to);
  std::ranges::for_each(to, checkNoRecording);
  const bool hasTitles =
      options.format == TranscriptFormat::TimedText && options.files.size() > 1;
  InterruptWatch watch;
  for (size_t i = 0; i < recordings.size(); ++i) {
    std::optional<Printer> printer;
    if (isPrinted)
      printer.emplace(options.format, hasTitles ? options.files[i] : "");
    try {
      transcribeOne(*transcriber, recordings[i], options, options.files[i],
                    to[i], printer ? &*printer : nullptr);
    } catch (const Cancelled &) {
      if (isPrinted && options.format == TranscriptFormat::Text)
        printNow("\n");
      throw Cancelled("interrupted");
    }
  }
}

} // namespace transfold::runtime::inline commands
