// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads the options of all commands from CLI11.

#include "compiler/driver/cli/CommandTree.h"

#include <CLI/CLI.hpp>

using namespace transfold::driver;

/// The choices of an option: CLI11 describes a list of choices as "TEXT:{a,b}".
static std::vector<std::string> choicesOf(const CLI::Option &option) {
  const std::string type = option.get_type_name();
  size_t begin = type.find('{'), end = type.find('}');
  if (begin == std::string::npos || end == std::string::npos || end < begin)
    return {};
  return CLI::detail::split(type.substr(begin + 1, end - begin - 1), ',');
}

/// The name of a value is the option's own text, or else the name of its type.
static OptionInfo describe(const CLI::Option &option) {
  OptionInfo info;
  info.isWord = option.get_positional();
  info.isRequired = option.get_required();
  info.takesValue = option.get_items_expected_max() > 0; // otherwise a flag
  info.description = option.get_description();
  info.choices = choicesOf(option);
  if (info.isWord) {
    info.names = {option.get_name()};
    return info;
  }
  for (const std::string &name : option.get_snames())
    info.names.push_back("-" + name);
  for (const std::string &name : option.get_lnames())
    info.names.push_back("--" + name);
  if (!info.takesValue)
    return info;
  info.value = option.get_option_text();
  if (info.value.empty()) {
    std::string type = option.get_type_name();
    info.value = type.substr(0, type.find(':'));
  }
  return info;
}

CommandInfo transfold::driver::describeCommands(const CLI::App &app) {
  CommandInfo info{
      app.get_name(), app.get_description(), app.get_footer(), {}, {}};
  for (bool areWords : {true, false})
    for (const CLI::Option *option :
         app.get_options([&](const CLI::Option *each) {
           return !each->get_group().empty() &&
                  each->get_positional() == areWords;
         }))
      info.options.push_back(describe(*option));
  for (const CLI::App *command : app.get_subcommands(
           [](const CLI::App *c) { return !c->get_group().empty(); }))
    info.commands.push_back(describeCommands(*command));
  return info;
}
