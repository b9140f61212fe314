// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Messages typed on a terminal.

#pragma once

#include "base/NonCopyable.h"

#include <csignal>
#include <optional>
#include <string>
#include <string_view>

namespace transfold::runtime::inline commands {

/// While an object lives, Ctrl-C only sets a flag. Only one object at a time.
class CtrlC : NonCopyable {
public:
  CtrlC();
  ~CtrlC();

  /// Whether Ctrl-C was pressed since the last forget().
  static bool isPressed();
  static void forget();

private:
  /// The handler that the destructor restores.
  struct sigaction before;
};

/// Reads messages and commands from the terminal.
class ChatTerminal {
public:
  /// The next message or command, without white space at its ends; nullopt if
  /// the user ends the session, by Ctrl-D, or by Ctrl-C twice.
  std::optional<std::string> read();

private:
  std::string pending; // bytes after the last line
  /// How reading ended: with a line, at the end of the input, or by Ctrl-C.
  enum class End { Line, Input, Interrupt };
  /// Shows a prompt and reads one line. Throws Error.
  End readLine(std::string_view prompt, std::string &line);
  End readMessage(std::string &message);
};

} // namespace transfold::runtime::inline commands
