// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How far a recording was heard, for the one who waits: a line that rewrites
// itself on a terminal, one plain line for each recording in a log. Where the
// text itself appears on the terminal, it says enough.

#ifndef TRANSFOLD_RUNTIME_COMMANDS_TRANSCRIBEPROGRESS_H
#define TRANSFOLD_RUNTIME_COMMANDS_TRANSCRIBEPROGRESS_H

#include <chrono>
#include <string>

namespace transfold::runtime {

class TranscribeProgress {
public:
  /// Of a recording called `name`; `isShown` says whether its text appears on
  /// standard output.
  TranscribeProgress(std::string name, bool isShown, bool isQuiet);
  /// Ends the line of one that did not come to its end.
  ~TranscribeProgress();
  TranscribeProgress(const TranscribeProgress &) = delete;
  TranscribeProgress &operator=(const TranscribeProgress &) = delete;

  /// Seconds of the recording.
  void step(double done, double all);
  /// `file` has the text; empty where it was shown.
  void end(double all, const std::string &file);

private:
  std::string name;
  bool isShown, isQuiet, isTerminal;
  std::chrono::steady_clock::time_point begin;

  bool rewrites() const;
  void clear() const;
};

} // namespace transfold::runtime

#endif // TRANSFOLD_RUNTIME_COMMANDS_TRANSCRIBEPROGRESS_H
