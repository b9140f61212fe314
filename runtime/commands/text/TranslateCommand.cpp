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
  options->isCancelled = InterruptWatch::isInterrupted;
  CLI::App *app =
      commands.addForTexts("translate", "Translate texts, or lines of a file",
                           options, options->texts, translate);
  addTranslateOptions(*app, *options, commands.metadata());
  commands.addThreads(app);
  commands.addExample("translate < sentences.txt");
}

} // namespace transfold::runtime::inline commands

using namespace transfold::runtime;

extern "C" const ProgramPart transfold_part_translation = {addTranslate};
