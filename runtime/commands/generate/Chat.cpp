// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The command `chat`.

#include "base/Error.h"
#include "base/files/output/OutputFile.h"
#include "base/text/Messages.h"
#include "runtime/commands/cli/Interrupt.h"
#include "runtime/commands/generate/ChatMessages.h"
#include "runtime/commands/generate/ChatSession.h"
#include "runtime/commands/generate/ChatTerminal.h"
#include "runtime/commands/generate/Generate.h"
#include "runtime/tasks/generate/Conversation.h"

#include <iostream>
#include <unistd.h>

namespace transfold::runtime::inline commands {

namespace {

/// Throws Error if options contradict each other or would have no effect.
void checkOptions(const ChatOptions &options) {
  checkDrawing(options.sampling);
  checkStops(options.stops);
  if (options.showPrompt && options.messages.empty())
    fail("--show-prompt belongs to --messages");
}

/// In a terminal session, the session itself reports it.
void warnIfCut(const ChatModel &model, const ChatModel::Answer &answer) {
  if (answer.completion.end == Completion::End::Length) {
    flushPrinted();
    warn(model.whyCut(answer));
  }
}

/// Answers the messages of a file, or prints the prompt.
void answerFile(ChatModel &model, const ChatOptions &options) {
  chat::Conversation conversation = readConversation(options.messages);
  for (const auto &[name, value] : options.variables.items())
    conversation.variables[name] = value;
  if (!options.system.empty()) {
    conversation.messages.insert(conversation.messages.begin(),
                                 messageOf("system", options.system));
  }
  InterruptWatch watch;
  chat::Text prompt = model.prompt(conversation, options.isCancelled);
  if (options.showPrompt) {
    print(prompt.bytes);
    return;
  }
  std::vector<int32_t> ids = model.tokens(prompt);
  if (static_cast<int64_t>(ids.size()) >= model.room())
    fail("{}: the conversation has {} tokens, but there is room for {} with "
         "its answer",
         options.messages, ids.size(), model.room());
  ChatModel::Answer answer =
      model.answer(ids, options, options.stops, printNow);
  printNow("\n");
  warnIfCut(model, answer);
  if (answer.completion.end == Completion::End::Cancelled)
    throw Cancelled("interrupted");
}

/// Each line of standard input is a message; only the answers are printed.
void answerLines(ChatModel &model, const ChatOptions &options) {
  ChatSession session(model, options, printNow, [](std::string_view) {});
  InterruptWatch watch;
  std::string line;
  for (size_t number = 1; std::getline(std::cin, line); ++number) {
    if (line.ends_with('\r'))
      line.pop_back();
    try {
      session.tell(line);
      warnIfCut(model, session.lastAnswer());
    } catch (const Error &error) {
      fail("line {}: {}", number, error.what());
    }
    if (InterruptWatch::isInterrupted())
      throw Cancelled("interrupted");
  }
}

/// A conversation with prompts, commands and messages about its state. An error
/// ends the answer, and the conversation goes on.
void converseOnTerminal(ChatModel &model, const ChatOptions &given) {
  ChatOptions options = given;
  options.isCancelled = CtrlC::isPressed;
  CtrlC watch;
  ChatSession session(model, options, printNow, printNow);
  ChatTerminal terminal;
  printNow("/help lists the commands; Ctrl-D exits.\n");
  while (auto line = terminal.read()) {
    try {
      if (!line->starts_with('/'))
        session.tell(line->substr(1)); // without the leading space
      else if (!session.command(*line))
        return;
    } catch (const Error &error) {
      flushPrinted();
      reportError(error.what());
    } catch (const Cancelled &) { // cancelled before the answer began
      printNow("(ended by Ctrl-C)\n");
    }
  }
}

} // namespace

void converse(Session &session, const ChatOptions &options) {
  checkOptions(options);
  ChatModel model(session, options.context);
  if (std::string why = model.whyFewer(); !why.empty())
    warn(why);
  if (!options.messages.empty())
    answerFile(model, options);
  else if (::isatty(STDIN_FILENO) && ::isatty(STDOUT_FILENO))
    converseOnTerminal(model, options);
  else
    answerLines(model, options);
}

} // namespace transfold::runtime::inline commands
