// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lines on standard error: "minilm: warning: …".

#ifndef TRANSFOLD_RUNTIME_COMMANDS_MESSAGES_H
#define TRANSFOLD_RUNTIME_COMMANDS_MESSAGES_H

#include <string>

namespace transfold::runtime {

/// How the user called the program; every message begins with it.
void setProgramName(std::string name);
const std::string &programName();

/// A message in which files may be quoted, for a terminal: control characters
/// are written as escapes (TerminalText.h), and what is longer than a page ends
/// with "…".
std::string printable(std::string message);

/// A line on standard error, which may be a terminal.
void reportLine(const std::string &line);

void warn(const std::string &message);
void reportError(const std::string &message);

} // namespace transfold::runtime

#endif // TRANSFOLD_RUNTIME_COMMANDS_MESSAGES_H
