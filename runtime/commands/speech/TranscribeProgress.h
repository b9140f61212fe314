// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The progress of a transcription: a line that is rewritten on a terminal, one
// plain line for each recording in a log. If the text itself appears on the
// terminal, no progress is shown.

#pragma once

#include "base/NonCopyable.h"

#include <chrono>
#include <string>

namespace transfold::runtime::inline commands {

/// The progress of one recording.
class TranscribeProgress : NonCopyable {
public:
  /// For a recording called `name`; `isShown` says whether its text appears on
  /// standard output.
  TranscribeProgress(std::string name, bool isShown, bool isQuiet);
  /// Clears the progress line of a recording that was not completed.
  ~TranscribeProgress();

  /// Updates the progress; both values are seconds of the recording.
  void step(double done, double all);
  /// Reports the end; `file` contains the text, empty if it was printed.
  void end(double all, const std::string &file);

private:
  std::string name;
  bool isShown, isQuiet, isTerminal;
  std::chrono::steady_clock::time_point begin;

  /// Whether the line of progress is shown.
  bool rewrites() const;
  /// Removes the line of progress.
  void clear() const;
};

} // namespace transfold::runtime::inline commands
