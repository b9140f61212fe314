// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Shell completions. Words other than options complete to files, and so do
// values of options without a list of choices.

#include "compiler/driver/cli/CommandTree.h"

#include <fmt/ranges.h>

#include <algorithm>

using namespace transfold::driver;

static constexpr const char *licence =
    "# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception\n";

/// The first sentence or line, which fits next to an option.
static std::string brief(const std::string &description) {
  size_t end = std::min(
      {description.find(". "), description.find(';'), description.find('\n')});
  std::string text = description.substr(0, end);
  if (std::ranges::count(text, '(') != std::ranges::count(text, ')'))
    text.resize(text.rfind(" ("));
  return text;
}

/// Escapes each of the `special` characters with a backslash.
static std::string escaped(const std::string &text,
                           const std::string &special) {
  std::string result;
  for (char c : text) {
    if (special.find(c) != std::string::npos)
      result += '\\';
    result += c;
  }
  return result;
}

/// Puts text in single quotes. Bash and zsh cannot escape a single quote inside
/// them, so the quotes are closed around it, which fish understands too.
static std::string inQuotes(const std::string &text) {
  std::string result = "'";
  for (char c : text)
    result += c == '\'' ? "'\\''" : std::string(1, c);
  return result + "'";
}

/// All spellings of the options of a command: "-o --out …".
static std::vector<std::string> optionNames(const CommandInfo &command) {
  std::vector<std::string> names;
  for (const OptionInfo &option : command.options)
    if (!option.isWord)
      names.insert(names.end(), option.names.begin(), option.names.end());
  return names;
}

static std::vector<std::string> commandNames(const CommandInfo &program) {
  std::vector<std::string> names;
  for (const CommandInfo &command : program.commands)
    names.push_back(command.name);
  return names;
}

//===----------------------------------------------------------------------===//
// Bash
//===----------------------------------------------------------------------===//

/// The cases for values of options, by "COMMAND OPTION".
static std::string bashValues(const CommandInfo &command) {
  std::string text;
  for (const OptionInfo &option : command.options) {
    if (option.isWord || !option.takesValue)
      continue;
    std::vector<std::string> patterns;
    for (const std::string &name : option.names)
      patterns.push_back(fmt::format("\"{} {}\"", command.name, name));
    // Without words, readline falls back to files.
    text += fmt::format(
        "    {})\n      COMPREPLY=($(compgen -W \"{}\" -- \"$word\"))\n"
        "      return ;;\n",
        fmt::join(patterns, " | "), fmt::join(option.choices, " "));
  }
  return text;
}

/// A function for `complete -F`. It reads the words of the line, of which the
/// first is the command.
static std::string bash(const CommandInfo &program) {
  std::string values, options;
  for (const CommandInfo &command : program.commands) {
    values += bashValues(command);
    options += fmt::format("    {}) options=\"{}\" ;;\n", command.name,
                           fmt::join(optionNames(command), " "));
  }
  return fmt::format("{0}_{1}() {{\n"
                     "  local word=${{COMP_WORDS[COMP_CWORD]}} options\n"
                     "  local before=${{COMP_WORDS[COMP_CWORD - 1]}} "
                     "command=${{COMP_WORDS[1]}}\n"
                     "  COMPREPLY=()\n"
                     "  # Bash takes the = of --option=value for a word.\n"
                     "  if [ \"$word\" = \"=\" ]; then\n"
                     "    word=\n"
                     "  elif [ \"$before\" = \"=\" ]; then\n"
                     "    before=${{COMP_WORDS[COMP_CWORD - 2]}}\n"
                     "  fi\n"
                     "  if [ \"$COMP_CWORD\" = 1 ]; then\n"
                     "    COMPREPLY=($(compgen -W \"{2} {3}\" -- \"$word\"))\n"
                     "    return\n"
                     "  fi\n"
                     "  case \"$command $before\" in\n{4}  esac\n"
                     "  case \"$command\" in\n{5}  esac\n"
                     "  if [[ $word == -* ]]; then\n"
                     "    COMPREPLY=($(compgen -W \"$options\" -- \"$word\"))\n"
                     "  fi\n"
                     "}}\n"
                     "complete -o default -F _{1} {1}\n",
                     licence, program.name,
                     fmt::join(commandNames(program), " "),
                     fmt::join(optionNames(program), " "), values, options);
}

//===----------------------------------------------------------------------===//
// Zsh
//===----------------------------------------------------------------------===//

/// An option or a positional argument as _arguments describes it. The star
/// permits an option more than once.
static std::string zshOption(const OptionInfo &option) {
  const std::string action =
      option.choices.empty()
          ? "_files"
          : fmt::format("({})", fmt::join(option.choices, " "));
  if (option.isWord)
    return fmt::format(
        " {}", inQuotes(fmt::format("{}:{}:{}", option.isRequired ? "" : ":",
                                    option.names.front(), action)));
  std::string text;
  for (const std::string &name : option.names) {
    std::string spec = "*" + name;
    if (option.takesValue)
      spec += name.starts_with("--") ? "=" : "+";
    spec += fmt::format("[{}]", escaped(brief(option.description), "[]:\\"));
    if (option.takesValue)
      spec += ":value:" + action;
    text += " " + inQuotes(spec);
  }
  return text;
}

/// The function runs where it is autoloaded from a folder, and registers itself
/// where the script is sourced.
static std::string zsh(const CommandInfo &program) {
  std::string commands, cases;
  for (const CommandInfo &command : program.commands) {
    commands += fmt::format(
        "        {}\n", inQuotes(command.name + ":" +
                                 escaped(brief(command.description), ":\\")));
    cases += fmt::format("        {}) _arguments", command.name);
    for (const OptionInfo &option : command.options)
      cases += " \\\n         " + zshOption(option);
    cases += " ;;\n";
  }
  return fmt::format("#compdef {1}\n{0}\n"
                     "_{1}() {{\n"
                     "  local context state state_descr line\n"
                     "  typeset -A opt_args\n"
                     "  _arguments -C '--help[Help]' '--version[The version]' "
                     "'1:command:->command' '*::word:->words'\n"
                     "  case $state in\n"
                     "    command)\n"
                     "      local -a commands=(\n{2}      )\n"
                     "      _describe command commands ;;\n"
                     "    words)\n"
                     "      case $words[1] in\n{3}      esac ;;\n"
                     "  esac\n"
                     "}}\n"
                     "\n"
                     "if [ \"$funcstack[1]\" = _{1} ]; then\n"
                     "  _{1} \"$@\"\n"
                     "else\n"
                     "  compdef _{1} {1}\n"
                     "fi\n",
                     licence, program.name, commands, cases);
}

//===----------------------------------------------------------------------===//
// Fish
//===----------------------------------------------------------------------===//

/// The arguments of `complete` for one option.
static std::string fishOption(const OptionInfo &option) {
  std::string text;
  for (const std::string &name : option.names)
    text += name.starts_with("--") ? " -l " + name.substr(2)
                                   : " -s " + name.substr(1);
  if (!option.choices.empty())
    text += fmt::format(
        " -x -a {}",
        inQuotes(fmt::format("{}", fmt::join(option.choices, " "))));
  else if (option.takesValue)
    text += " -r";
  return text + " -d " + inQuotes(escaped(brief(option.description), "\\"));
}

/// One line for each command and option. Options complete only after their
/// command.
static std::string fish(const CommandInfo &program) {
  std::string text = licence;
  for (const OptionInfo &option : program.options)
    text += fmt::format("complete -c {} -n __fish_use_subcommand{}\n",
                        program.name, fishOption(option));
  for (const CommandInfo &command : program.commands) {
    text +=
        fmt::format("complete -c {} -n __fish_use_subcommand -f -a {} -d {}\n",
                    program.name, command.name,
                    inQuotes(escaped(brief(command.description), "\\")));
    for (const OptionInfo &option : command.options)
      if (!option.isWord)
        text += fmt::format(
            "complete -c {} -n '__fish_seen_subcommand_from {}'{}\n",
            program.name, command.name, fishOption(option));
  }
  return text;
}

//===----------------------------------------------------------------------===//

const std::vector<std::string> &transfold::driver::completedShells() {
  static const std::vector<std::string> shells = {"bash", "zsh", "fish"};
  return shells;
}

std::string transfold::driver::completions(const CommandInfo &program,
                                           const std::string &shell) {
  return shell == "bash"  ? bash(program)
         : shell == "zsh" ? zsh(program)
                          : fish(program);
}
