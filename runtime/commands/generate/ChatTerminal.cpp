// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads the terminal without a library for line editing: the terminal's own
// line discipline edits lines, and this code waits for lines or for Ctrl-C.

#include "runtime/commands/generate/ChatTerminal.h"

#include "base/Error.h"
#include "base/files/output/OutputFile.h"
#include "runtime/chat/text/Text.h"

#include <cerrno>
#include <poll.h>
#include <unistd.h>

namespace transfold::runtime::inline commands {

namespace {

/// Set by the handler of Ctrl-C.
volatile std::sig_atomic_t pressed = 0;

} // namespace

CtrlC::CtrlC() {
  struct sigaction noted{};
  noted.sa_handler = [](int) { pressed = 1; };
  // Restarts interrupted output; ppoll ends nevertheless.
  noted.sa_flags = SA_RESTART;
  ::sigemptyset(&noted.sa_mask);
  ::sigaction(SIGINT, &noted, &before);
}
CtrlC::~CtrlC() { ::sigaction(SIGINT, &before, nullptr); }
bool CtrlC::isPressed() { return pressed; }
void CtrlC::forget() { pressed = 0; }

/// Waits for input or Ctrl-C. The signal is unblocked only while waiting, so
/// that none is lost between the check and the wait.
static bool waitForInput() {
  sigset_t interrupt, usual;
  ::sigemptyset(&interrupt);
  ::sigaddset(&interrupt, SIGINT);
  ::pthread_sigmask(SIG_BLOCK, &interrupt, &usual);
  ::pollfd input{STDIN_FILENO, POLLIN, 0};
  int ready = CtrlC::isPressed() ? -1 : ::ppoll(&input, 1, nullptr, &usual);
  ::pthread_sigmask(SIG_SETMASK, &usual, nullptr);
  return ready > 0;
}

ChatTerminal::End ChatTerminal::readLine(std::string_view prompt,
                                         std::string &line) {
  print(prompt);
  flushPrinted();
  while (true) {
    if (size_t end = pending.find('\n'); end != std::string::npos) {
      line = pending.substr(0, end);
      pending.erase(0, end + 1);
      if (line.ends_with('\r'))
        line.pop_back();
      return End::Line;
    }
    char buffer[4096];
    ssize_t count = -1;
    if (waitForInput())
      count = ::read(STDIN_FILENO, buffer, sizeof buffer);
    if (CtrlC::isPressed()) {
      pending.clear(); // the terminal has discarded the typed line as well
      return End::Interrupt;
    }
    if (count == 0)
      return End::Input;
    if (count < 0 && errno != EINTR && errno != EAGAIN)
      return errno == EIO ? End::Input
                          : throw Error("cannot read the terminal");
    pending.append(buffer, static_cast<size_t>(std::max<ssize_t>(count, 0)));
  }
}

/// Reads a message of several lines: lines that end with a backslash, or that
/// are enclosed in """.
ChatTerminal::End ChatTerminal::readMessage(std::string &message) {
  constexpr std::string_view quotes = "\"\"\"";
  End end = readLine("> ", message);
  std::string line;
  if (end == End::Line && message.starts_with(quotes)) {
    message.erase(0, quotes.size());
    while (end == End::Line && !message.ends_with(quotes)) {
      end = readLine("… ", line);
      message += "\n" + line;
    }
    if (message.ends_with(quotes))
      message.resize(message.size() - quotes.size());
    return end;
  }
  while (end == End::Line && message.ends_with('\\')) {
    message.back() = '\n';
    end = readLine("… ", line);
    message += line;
  }
  return end;
}

std::optional<std::string> ChatTerminal::read() {
  bool wasInterrupted = false;
  while (true) {
    CtrlC::forget();
    std::string message;
    End end = readMessage(message);
    if (end == End::Input || (end == End::Interrupt && wasInterrupted)) {
      print("\n");
      return std::nullopt;
    }
    if (end == End::Interrupt) {
      print("\n(Ctrl-C again, or Ctrl-D, exits)\n");
      wasInterrupted = true;
      continue;
    }
    // A message that begins with / is typed after a space.
    bool isCommand = message.starts_with('/');
    message.erase(0, chat::leadingSpace(message));
    message.resize(message.size() - chat::trailingSpace(message));
    if (message.empty())
      continue;
    return isCommand ? message : " " + message;
  }
}

} // namespace transfold::runtime::inline commands
