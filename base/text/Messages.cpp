// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// All messages pass through reportLine(), so that none can control the
// terminal.

#include "base/text/Messages.h"

#include "base/text/TerminalText.h"

#include <fmt/format.h>

#include <cstdio>

namespace transfold {

namespace {

/// The name, which is set once at the start.
std::string &storedName() {
  static std::string name = "program";
  return name;
}

/// Prints "NAME: KIND: MESSAGE".
void write(const char *kind, const std::string &message) {
  reportLine(fmt::format("{}: {}: {}", programName(), kind, message));
}

} // namespace

void setProgramName(std::string name) { storedName() = std::move(name); }
const std::string &programName() { return storedName(); }

std::string printable(std::string message) {
  constexpr size_t page = 4000;
  if (message.size() > page) {
    size_t end = page; // start of a character
    while (end > 0 && (message[end] & 0xc0) == 0x80)
      --end;
    message.resize(end);
    message += "\u2026";
  }
  return shownOnTerminal(message);
}

void reportLine(const std::string &line) {
  std::fputs((printable(line) + "\n").c_str(), stderr);
}

void warn(const std::string &message) { write("warning", message); }
void reportError(const std::string &message) { write("error", message); }

} // namespace transfold
