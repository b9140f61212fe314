// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The command `transcribe`: recordings to text and subtitles.

#pragma once

#include "runtime/tasks/speech/Transcripts.h"

#include <string>
#include <vector>

namespace CLI {
class App;
} // namespace CLI

namespace transfold::runtime::inline commands {

/// Options of `transcribe`.
struct TranscribeOptions : TranscriptionOptions {
  std::vector<std::string> files; // "-" is standard input
  TranscriptFormat format = TranscriptFormat::Text;
  std::string output; // a file or a folder; empty: standard output
  bool isQuiet = false;
  IsCancelled isCancelled = {};
};

/// Adds the options of `transcribe`.
void addTranscribeOptions(CLI::App &app, TranscribeOptions &options,
                          const Speech &speech);
/// Transcribes the recordings. Throws Error, and Cancelled.
void transcribe(Session &session, const TranscribeOptions &options);

/// The output file of each recording. Throws Error if two would have the same
/// file.
std::vector<std::string> transcriptFiles(const TranscribeOptions &options);

} // namespace transfold::runtime::inline commands
