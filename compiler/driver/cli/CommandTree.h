// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A command line as data, from which the manual page and the completions of
// shells are generated, so that they agree with --help.

#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace transfold::driver {

/// An option or a positional argument.
struct OptionInfo {
  std::vector<std::string> names;   // "-o", "--out"; positional: "MODEL"
  std::string value;                // name of its value: "FILE"; or empty
  std::vector<std::string> choices; // all values; empty if not a fixed list
  std::string description;
  bool isWord = false; // a positional argument
  bool isRequired = false;
  bool takesValue = false;
};

/// A command with its options and subcommands.
struct CommandInfo {
  std::string name, description, footer;
  std::vector<OptionInfo> options; // positional ones first
  std::vector<CommandInfo> commands;
};

/// Describes a command line, without the items that help hides.
CommandInfo describeCommands(const CLI::App &app);

/// The page for `man`, in roff.
std::string manualPage(const CommandInfo &program, const std::string &version);

/// The names of shells that completions() knows.
const std::vector<std::string> &completedShells();
/// The completion script of a shell for the command line.
std::string completions(const CommandInfo &program, const std::string &shell);

} // namespace transfold::driver
