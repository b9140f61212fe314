// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The part of programs that generate tokens: `generate`, the endpoint for
// completions, and the measurement of prefill and decoding.

#include "runtime/commands/CommandOptions.h"
#include "runtime/commands/Commands.h"
#include "runtime/commands/ProgramParts.h"
#include "runtime/commands/cli/Interrupt.h"
#include "runtime/serve/Completions.h"
#include "runtime/tasks/speech/Transcriber.h"

namespace transfold::runtime::inline commands {

static void addGenerate(CommandSet &commands) {
  if (!generatingTask(commands.metadata()))
    return;
  auto options = std::make_shared<GenerateOptions>();
  CLI::App *app =
      commands.add("generate", "Generate text", [&commands, options] {
        options->texts = commands.remainingTexts("generate");
        options->isCancelled = InterruptWatch::isInterrupted;
        generate(commands.session(), *options);
      });
  // The command can also be called by the name of the task.
  for (const Task &task : commands.metadata().tasks)
    if (task.makesTokens() && task.kind != app->get_name() &&
        task.kind != "chat" && task.kind != "translate" && !task.speech &&
        !app->check_name(task.kind))
      app->alias(task.kind);
  app->allow_extras();
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
makeCompletions(const LoadedProgram &program, ThreadPool &pool,
                const serve::EndpointOptions &options) {
  if (!generatingTask(program.metadata()) ||
      Transcriber::canHear(program.metadata()))
    return nullptr;
  return std::make_unique<serve::Completions>(program, pool, options);
}

} // namespace transfold::runtime::inline commands

using namespace transfold::runtime;

extern "C" const ProgramPart transfold_part_generation = {
    addGenerate, makeCompletions, benchGenerate};
