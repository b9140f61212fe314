// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The part of programs that generate tokens: `generate`, the endpoint for
// completions, and the measurement of prefill and decoding.

#include "runtime/commands/CommandOptions.h"
#include "runtime/commands/Commands.h"
#include "runtime/commands/ProgramParts.h"
#include "runtime/commands/cli/Interrupt.h"
#include "runtime/serve/Endpoints.h"
#include "runtime/tasks/speech/Transcriber.h"

namespace transfold::runtime::inline commands {

static void addGenerate(CommandSet &commands) {
  if (!generatingTask(commands.metadata()))
    return;
  auto options = std::make_shared<GenerateOptions>();
  options->isCancelled = InterruptWatch::isInterrupted;
  CLI::App *app = commands.addForTexts("generate", "Generate text", options,
                                       options->texts, generate);
  // The command can also be called by the name of the task.
  for (const Task &task : commands.metadata().tasks)
    if (task.makesTokens() && task.kind != app->get_name() &&
        task.kind != "chat" && task.kind != "translate" && !task.speech &&
        !app->check_name(task.kind))
      app->alias(task.kind);
  app->footer("Give the texts after the options, and after -- those that "
              "begin with - or could be one more ID;\n"
              "without any, each line of standard input is a text.\n"
              "Without --temperature the likeliest token is always chosen.");
  addGenerateOptions(*app, *options);
  commands.addThreads(app);
  if (Transcriber::canHear(commands.metadata()))
    return;
  commands.addExample("generate \"Once upon a time\" --max-new 50");
  commands.addExample("generate --ids in.npy --max-new 20 --out ids.npy");
}

/// A program that hears recordings serves these instead.
static std::unique_ptr<serve::Endpoint>
makeCompletions(const serve::ServedProgram &served) {
  if (!generatingTask(served.program.metadata()) ||
      Transcriber::canHear(served.program.metadata()))
    return nullptr;
  return serve::makeCompletions(served);
}

} // namespace transfold::runtime::inline commands

using namespace transfold::runtime;

extern "C" const ProgramPart transfold_part_generation = {
    addGenerate, makeCompletions, benchGenerate};
