// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rewrites one line of a terminal, by a carriage return and the sequence that
// clears the line. Output that is not a terminal gets finished lines only.

#include "compiler/driver/cli/Progress.h"

#include "base/text/Messages.h"
#include "base/text/TerminalText.h"

#include <fmt/format.h>

#include <cstdio>
#include <unistd.h>

using namespace transfold::driver;

Progress::Progress(bool quiet)
    : quiet(quiet), terminal(isatty(STDERR_FILENO)) {}

Progress::~Progress() {
  if (!stage.empty() && terminal && !quiet)
    std::fputs("\r\x1b[K", stderr);
}

void Progress::rewrite(const std::string &line) {
  fmt::print(stderr, "\r\x1b[K{}", shownOnTerminal(line));
  std::fflush(stderr);
}

void Progress::begin(const std::string &name) {
  stage = name;
  started = std::chrono::steady_clock::now();
  if (terminal && !quiet)
    rewrite(fmt::format("  {:<9}…", stage));
}

void Progress::step(size_t done, size_t total, const std::string &what) {
  if (!terminal || quiet)
    return;
  constexpr size_t width = 24;
  size_t filled = total ? width * done / total : 0;
  rewrite(fmt::format("  {:<9}[{:#<{}}{:-<{}}] {}/{} {}", stage, "", filled, "",
                      width - filled, done, total, what));
}

void Progress::end(const std::string &summary) {
  double seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - started)
          .count();
  std::string line =
      fmt::format("  {:<9}{:6.2f} s  {}", stage, seconds, summary);
  if (!quiet) {
    if (terminal)
      rewrite(line + "\n");
    else
      reportLine(line);
  }
  stage.clear();
}

void Progress::note(const std::string &line) {
  if (!quiet)
    reportLine("  " + line);
}
