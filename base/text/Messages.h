// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Messages on standard error: "minilm: warning: …".

#pragma once

#include <string>

namespace transfold {

/// Sets the name by which the user called the program; every message begins
/// with it.
void setProgramName(std::string name);
/// The name set by setProgramName().
const std::string &programName();

/// A message that may quote file contents, for a terminal: control characters
/// are written as escapes (TerminalText.h), and messages longer than a page are
/// truncated, with "…".
std::string printable(std::string message);

/// Prints a line on standard error, which may be a terminal.
void reportLine(const std::string &line);

/// Prints a warning.
void warn(const std::string &message);
/// Prints an error.
void reportError(const std::string &message);

} // namespace transfold
