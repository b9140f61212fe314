// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a command line knows, as data: the manual page and the completions of
// shells are made of it, so that they say what --help says.

#ifndef TRANSFOLD_COMPILER_DRIVER_COMMANDTREE_H
#define TRANSFOLD_COMPILER_DRIVER_COMMANDTREE_H

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace transfold::driver {

struct OptionInfo {
  std::vector<std::string> names;   // "-o", "--out"; of a word alone: "MODEL"
  std::string value;                // what stands behind it: "FILE"; or nothing
  std::vector<std::string> choices; // all values; empty where they are open
  std::string description;
  bool isWord = false; // known by its place
  bool isRequired = false;
  bool takesValue = false;
};

struct CommandInfo {
  std::string name, description, footer;
  std::vector<OptionInfo> options; // words first
  std::vector<CommandInfo> commands;
};

/// Without what help does not show.
CommandInfo describeCommands(const CLI::App &app);

/// The page for `man`, in roff.
std::string manualPage(const CommandInfo &program, const std::string &version);

/// The names of shells that completions() knows.
const std::vector<std::string> &completedShells();
/// What a shell loads to complete the words of the command line.
std::string completions(const CommandInfo &program, const std::string &shell);

} // namespace transfold::driver

#endif // TRANSFOLD_COMPILER_DRIVER_COMMANDTREE_H
