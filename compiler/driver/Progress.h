// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the compiler is doing, for the one who waits: a line that rewrites
// itself on a terminal, one plain line for each stage in a log.

#ifndef TRANSFOLD_COMPILER_DRIVER_PROGRESS_H
#define TRANSFOLD_COMPILER_DRIVER_PROGRESS_H

#include <chrono>
#include <cstddef>
#include <string>

namespace transfold::driver {

class Progress {
public:
  explicit Progress(bool quiet);
  /// Ends the line of a stage that did not finish.
  ~Progress();

  /// The stage that begins, in a word or two: "kernels".
  void begin(const std::string &stage);
  /// How far it is, and at what.
  void step(size_t done, size_t total, const std::string &what);
  /// It is done; `summary` says what came of it.
  void end(const std::string &summary);
  /// A line below what is done.
  void note(const std::string &line);

private:
  void rewrite(const std::string &line);

  bool quiet, terminal;
  std::string stage;
  std::chrono::steady_clock::time_point started;
};

} // namespace transfold::driver

#endif // TRANSFOLD_COMPILER_DRIVER_PROGRESS_H
