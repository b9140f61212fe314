// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The part of programs that translate texts: `translate`.

#include "runtime/commands/ProgramParts.h"
#include "runtime/commands/cli/Interrupt.h"
#include "runtime/commands/text/Translate.h"

namespace transfold::runtime::inline commands {

static void addTranslate(CommandSet &commands) {
  if (!commands.metadata().task("translate"))
    return;
  auto options = std::make_shared<TranslateOptions>();
  CLI::App *app = commands.add(
      "translate", "Translate texts, or lines of a file", [&commands, options] {
        options->texts = commands.remainingTexts("translate");
        options->isCancelled = InterruptWatch::isInterrupted;
        translate(commands.session(), *options);
      });
  app->allow_extras();
  addTranslateOptions(*app, *options, commands.metadata());
  commands.addThreads(app);
  commands.addExample("translate < sentences.txt");
}

} // namespace transfold::runtime::inline commands

using namespace transfold::runtime;

extern "C" const ProgramPart transfold_part_translation = {addTranslate};
