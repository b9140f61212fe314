// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Parses the command line with CLI11, except for texts: an option of CLI11
// would treat "[CLS] a, b [SEP]" as a list and split it.

#include "runtime/commands/CommandSet.h"

#include "base/Error.h"
#include "base/files/output/OutputFile.h"
#include "base/text/Messages.h"
#include "runtime/commands/cli/CommandWords.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <thread>
#include <utility>

namespace transfold::runtime::inline commands {

/// Options with a list of integers, which ends at the first word that is not
/// one.
static constexpr std::string_view numberLists[] = {"--suppress", "--eos",
                                                   "--start"};

CommandSet::CommandSet(const LoadedProgram &program, const std::string &name)
    : loaded(program), own(program, pool),
      application(fmt::format("{}: {}, compiled by transfold {}", name,
                              program.metadata().model,
                              program.metadata().compilerVersion),
                  name),
      threadCount(std::max(1u, std::thread::hardware_concurrency())) {
  application.require_subcommand(1);
  application.failure_message(CLI::FailureMessage::simple);
}

CLI::App *CommandSet::add(const std::string &name,
                          const std::string &description,
                          std::function<void()> action) {
  CLI::App *added = application.add_subcommand(name, description);
  added->callback([this, action = std::move(action)] { command = action; });
  return added;
}

void CommandSet::addExample(std::string_view arguments) {
  examples += fmt::format("\n  {} {}", application.get_name(), arguments);
}

void CommandSet::addThreads(CLI::App *to) {
  to->add_option("--threads", threadCount, "Number of threads")
      ->check(CLI::Range(1, 1024))
      ->capture_default_str();
  addDevice(to);
}

void CommandSet::addDevice(CLI::App *to) {
  if (loaded.devices().size() > 1)
    to->add_option(
          "--device", device,
          fmt::format("Where kernels run: {} (default: the first available); "
                      "TRANSFOLD_DEVICE sets it for all commands",
                      fmt::join(loaded.devices(), ", ")))
        ->type_name("NAME");
}

std::vector<std::string>
CommandSet::remainingTexts(const std::string &command) {
  std::vector<std::string> texts =
      application.get_subcommand(command)->remaining();
  for (const std::string &text : texts)
    if (text.size() > 1 && text[0] == '-')
      fail("there is no option {}; a text that begins with - must follow -- "
           "(see '{} {} --help')",
           text, programName(), command);
  texts.insert(texts.end(), textsAfterDashes.begin(), textsAfterDashes.end());
  return texts;
}

/// Throws Error for an unknown command; the commands depend on the model's
/// tasks.
void CommandSet::needCommand(const std::string &word) {
  std::vector<std::string> tasks, commands;
  bool isThere = word.starts_with('-');
  for (const CLI::App *command :
       application.get_subcommands([](const CLI::App *) { return true; })) {
    isThere |= command->check_name(word);
    commands.push_back(command->get_name());
  }
  if (isThere)
    return;
  for (const Task &task : metadata().tasks)
    tasks.push_back(task.kind);
  fail("there is no command '{}': the model has {}, and the program the "
       "commands {} (see '{} --help')",
       word,
       tasks.empty() ? "no task"
       : tasks.size() == 1
           ? "the task " + tasks[0]
           : fmt::format("the tasks {}", fmt::join(tasks, ", ")),
       fmt::join(commands, ", "), programName());
}

int CommandSet::run(std::span<const char *const> given) {
  application.footer(examples);
  CommandWords commandLine(given, numberLists);
  if (!commandLine.words.empty())
    needCommand(commandLine.words.front());
  for (const auto &rewrite : rewrites)
    rewrite(commandLine.words);
  textsAfterDashes = std::move(commandLine.texts);
  std::ranges::reverse(commandLine.words); // the order that CLI11 expects
  try {
    application.parse(std::move(commandLine.words));
  } catch (const CLI::Success &) { // --help
    print(application.help());
    return 0;
  } catch (const CLI::ParseError &error) {
    fail("{} (see '{} --help')", error.what(), programName());
  }
  CLI::App *chosen = application.get_subcommands().front();
  if (!textsAfterDashes.empty() && !chosen->get_allow_extras())
    fail("'{}' takes no texts, but after -- there is \"{}\"",
         chosen->get_name(), textsAfterDashes.front());
  pool.setThreads(threadCount);
  command();
  return 0;
}

} // namespace transfold::runtime::inline commands
