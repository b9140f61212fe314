// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Draws a bar with the escape sequence that clears a line; nothing is drawn if
// standard error is not a terminal.

#include "runtime/commands/speech/TranscribeProgress.h"

#include "base/text/Messages.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <unistd.h>

namespace transfold::runtime::inline commands {

namespace {

/// Seconds as "1:05", or "1:00:05" from an hour on.
std::string clock(double seconds) {
  auto all = static_cast<long>(std::max(seconds, 0.0));
  if (all >= 3600)
    return fmt::format("{}:{:02}:{:02}", all / 3600, all / 60 % 60, all % 60);
  return fmt::format("{}:{:02}", all / 60, all % 60);
}

} // namespace

TranscribeProgress::TranscribeProgress(std::string name, bool isShown,
                                       bool isQuiet)
    : name(printable(std::move(name))), isShown(isShown), isQuiet(isQuiet),
      isTerminal(::isatty(STDERR_FILENO)),
      begin(std::chrono::steady_clock::now()) {}

TranscribeProgress::~TranscribeProgress() { clear(); }

bool TranscribeProgress::rewrites() const {
  return isTerminal && !isQuiet && !(isShown && ::isatty(STDOUT_FILENO));
}

void TranscribeProgress::clear() const {
  if (rewrites())
    std::fputs("\r\x1b[K", stderr);
}

void TranscribeProgress::step(double done, double all) {
  if (!rewrites())
    return;
  constexpr int width = 24;
  double share = all > 0 ? std::clamp(done / all, 0.0, 1.0) : 1;
  int filled = static_cast<int>(share * width);
  fmt::print(stderr, "\r\x1b[K{} [{:#<{}}{:-<{}}] {} of {}", name, "", filled,
             "", width - filled, clock(done), clock(all));
  std::fflush(stderr);
}

void TranscribeProgress::end(double all, const std::string &file) {
  clear();
  if (isQuiet || file.empty())
    return;
  double took =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - begin)
          .count();
  fmt::print(stderr, "{}: {} in {:.1f} s, text in {}\n", name, clock(all), took,
             printable(file));
}

} // namespace transfold::runtime::inline commands
