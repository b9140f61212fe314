// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The part of programs that chat: `chat`.

#include "base/Error.h"
#include "base/text/JsonText.h"
#include "base/text/Messages.h"
#include "runtime/commands/CommandOptions.h"
#include "runtime/commands/Commands.h"
#include "runtime/commands/ProgramParts.h"
#include "runtime/commands/cli/Interrupt.h"

#include <fmt/format.h>

namespace transfold::runtime::inline commands {

static nlohmann::ordered_json jsonOrText(const std::string &value) {
  try {
    return parseJsonText(value, {.depth = 90, .exactIntegers = true});
  } catch (const Error &) {
    return value;
  }
}

/// Parses words NAME=VALUE, where a value is JSON, or otherwise a text.
static void readVariables(const std::vector<std::string> &words,
                          nlohmann::ordered_json &variables) {
  for (const std::string &word : words) {
    size_t equals = word.find('=');
    if (equals == 0 || equals == word.npos)
      fail("--variable takes NAME=VALUE, such as enable_thinking=false, not "
           "'{}'",
           word);
    variables[word.substr(0, equals)] = jsonOrText(word.substr(equals + 1));
  }
}

static void addChat(CommandSet &commands) {
  if (!commands.metadata().task("chat"))
    return;
  auto options = std::make_shared<ChatOptions>();
  auto variables = std::make_shared<std::vector<std::string>>();
  CLI::App *app = commands.add("chat", "Chat, on a terminal or line by line",
                               [&commands, options, variables] {
                                 readVariables(*variables, options->variables);
                                 options->isCancelled =
                                     InterruptWatch::isInterrupted;
                                 converse(commands.session(), *options);
                               });
  app->footer(
      fmt::format("On a terminal, /help lists the commands. Elsewhere each "
                  "line of standard input is\n"
                  "a turn, and only answers are printed. Without "
                  "--temperature the likeliest token is\n"
                  "always chosen. Examples:\n"
                  "  {0} chat --system \"Answer briefly.\"\n"
                  "  {0} chat --messages conversation.json --show-prompt",
                  programName()));
  addChatOptions(*app, *options, *variables);
  commands.addThreads(app);
  commands.addExample("chat");
}

} // namespace transfold::runtime::inline commands

using namespace transfold::runtime;

extern "C" const ProgramPart transfold_part_chat = {addChat};
