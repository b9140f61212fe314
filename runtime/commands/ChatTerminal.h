// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Messages that somebody types.

#ifndef TRANSFOLD_RUNTIME_COMMANDS_CHATTERMINAL_H
#define TRANSFOLD_RUNTIME_COMMANDS_CHATTERMINAL_H

#include <csignal>
#include <optional>
#include <string>
#include <string_view>

namespace transfold::runtime {

/// As long as it lives Ctrl-C is only noted. One at a time.
class CtrlC {
public:
  CtrlC();
  ~CtrlC();
  CtrlC(const CtrlC &) = delete;
  CtrlC &operator=(const CtrlC &) = delete;

  static bool isPressed();
  static void forget();

private:
  struct sigaction before;
};

class ChatTerminal {
public:
  /// The next message or command, without white space at its ends; none where
  /// the user leaves, by Ctrl-D, or by Ctrl-C twice.
  std::optional<std::string> read();

private:
  std::string pending; // bytes behind the last line
  enum class End { Line, Input, Interrupt };
  End readLine(std::string_view prompt, std::string &line);
  End readMessage(std::string &message);
};

} // namespace transfold::runtime

#endif // TRANSFOLD_RUNTIME_COMMANDS_CHATTERMINAL_H
