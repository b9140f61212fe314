// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The commands of a program: each is declared with its options, and one of them
// is parsed and run.

#pragma once

#include "runtime/kernels/ThreadPool.h"
#include "runtime/program/call/Session.h"

#include <CLI/CLI.hpp>

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace transfold::runtime::inline commands {

/// The footer of commands that take texts.
inline constexpr std::string_view aboutTexts =
    "Give the texts after the options, and after -- those that begin with -;\n"
    "without any, each line of standard input is a text.";

class CommandSet {
public:
  /// `name` is that of the executable.
  CommandSet(const LoadedProgram &program, const std::string &name);

  /// Declares a command; `action` runs it, after its options were parsed. The
  /// variables of its options must live as long as `action`, which usually
  /// shares their ownership.
  CLI::App *add(const std::string &name, const std::string &description,
                std::function<void()> action);
  /// Declares a command that takes texts after its options, which become
  /// `texts`, a member of `options`. `run` is called with the session and the
  /// options.
  template <typename Options, typename Run>
  CLI::App *addForTexts(const std::string &name, const std::string &description,
                        std::shared_ptr<Options> options,
                        std::vector<std::string> &texts, Run run) {
    auto action = [this, name, options, &texts, run] {
      texts = remainingTexts(name);
      run(own, *options);
    };
    return add(name, description, action)->allow_extras();
  }
  /// Adds a line to the examples of --help: the program's name and `arguments`.
  void addExample(std::string_view arguments);
  /// Adds --threads, and --device if the program has kernels for several.
  void addThreads(CLI::App *to);
  void addDevice(CLI::App *to);
  /// `rewrite` may change the words of the command line before they are parsed.
  void addRewrite(std::function<void(std::vector<std::string> &)> rewrite) {
    rewrites.push_back(std::move(rewrite));
  }
  const LoadedProgram &program() const { return loaded; }
  const Metadata &metadata() const { return loaded.metadata(); }
  ThreadPool &threads() { return pool; }
  Session &session() { return own; }

  /// Parses `words`, runs the command and returns the exit status. Throws Error
  /// and Cancelled.
  int run(std::span<const char *const> words);

private:
  const LoadedProgram &loaded;
  ThreadPool pool;
  Session own;
  CLI::App application;
  std::string examples = "Examples:";
  std::vector<std::function<void(std::vector<std::string> &)>> rewrites;
  std::function<void()> command; // the one that was parsed
  std::vector<std::string> textsAfterDashes;
  unsigned threadCount;
  std::string device; // evaluated before the program is loaded

  /// The texts after the options of `command`, and those after --. Throws Error
  /// for a word that is an unknown option.
  std::vector<std::string> remainingTexts(const std::string &command);
  void needCommand(const std::string &word);
};

} // namespace transfold::runtime::inline commands
