// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Progress for the user: a line that is rewritten on a terminal, one plain line
// for each stage otherwise.

#pragma once

#include <chrono>
#include <cstddef>
#include <string>

namespace transfold::driver {

/// Shows the progress of stages.
class Progress {
public:
  /// With `quiet`, nothing is printed.
  explicit Progress(bool quiet);
  /// Clears the line of a stage that did not finish.
  ~Progress();

  /// Begins a stage, named by a word or two: "kernels".
  void begin(const std::string &stage);
  /// Shows how far the stage is, and its current item.
  void step(size_t done, size_t total, const std::string &what);
  /// Ends the stage; `summary` describes its result.
  void end(const std::string &summary);
  /// Prints a line below the finished stages.
  void note(const std::string &line);

private:
  /// Replaces the current line of the terminal.
  void rewrite(const std::string &line);

  bool quiet, terminal;
  std::string stage;
  std::chrono::steady_clock::time_point started;
};

} // namespace transfold::driver
