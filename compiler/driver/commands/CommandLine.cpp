// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The command line as a whole, and the commands that are not about a model.

#include "compiler/driver/commands/CommandLine.h"

#include "compiler/driver/cli/CommandTree.h"
#include "compiler/driver/cli/Report.h"
#include "compiler/driver/commands/Commands.h"

#include <CLI/CLI.hpp>
#include <fmt/ranges.h>
#include <llvm/Support/CommandLine.h>
#include <mlir/IR/AsmState.h>
#include <mlir/IR/MLIRContext.h>
#include <mlir/Pass/PassManager.h>
#include <mlir/Support/Timing.h>

#include <ranges>

using namespace transfold;
using namespace transfold::driver;

std::vector<std::string> driver::takeMlirOptions(int argc, char **argv) {
  mlir::registerAsmPrinterCLOptions();
  mlir::registerMLIRContextCLOptions();
  mlir::registerPassManagerCLOptions();
  mlir::registerDefaultTimingManagerCLOptions();
  std::vector<const char *> theirs = {"transfold"};
  std::vector<std::string> ours;
  for (int k = 1; k < argc; ++k) {
    if (llvm::StringRef(argv[k]).starts_with("--mlir-"))
      theirs.push_back(argv[k]);
    else
      ours.push_back(argv[k]);
  }
  llvm::cl::ParseCommandLineOptions(theirs.size(), theirs.data());
  return ours;
}

CLI::Validator driver::stageOption() {
  return CLI::Validator(
      [](std::string &word) -> std::string {
        auto found = stageNames().find(word);
        if (found == stageNames().end()) {
          std::string words;
          for (const auto &[name, stage] : stageNames())
            words += (words.empty() ? "" : ", ") + name;
          return fmt::format("unknown stage '{}'; expected one of {}", word,
                             words);
        }
        word = std::to_string(static_cast<int>(found->second));
        return "";
      },
      fmt::format("{{{}}}", fmt::join(std::views::keys(stageNames()), ",")));
}

/// Adds the command that shows or clears the cache of kernels.
static void addCache(CLI::App &app, bool &clear) {
  CLI::App *command = app.add_subcommand(
      "cache", "Shows where built kernels are cached, and their size");
  command->add_flag("--clear", clear, "Remove them");
  command->footer("TRANSFOLD_CACHE is the folder, TRANSFOLD_CACHE_MIB its "
                  "maximum size in MiB (1024):\n"
                  "beyond it, the least recently used kernels are removed.");
}

/// Commands for packaging the compiler; help shows neither.
static void addTexts(CLI::App &app, std::string &shell) {
  app.add_subcommand("manual", "Prints the manual page")->group("");
  app.add_subcommand("completions", "Prints the completions of a shell")
      ->group("")
      ->add_option("SHELL", shell)
      ->required()
      ->check(CLI::IsMember(completedShells()));
}

std::unique_ptr<CLI::App> driver::commandLine(CommandOptions &options) {
  auto app = std::make_unique<CLI::App>(
      "Compiles the equations of transformers to native programs.",
      "transfold");
  app->require_subcommand(1);
  app->fallthrough(); // options of all commands may follow the command
  app->add_option_function<std::string>(
         "--diagnostics",
         [](const std::string &word) {
           setDiagnosticFormat(word == "json" ? DiagnosticFormat::Json
                                              : DiagnosticFormat::Text);
         },
         "Print errors and warnings as text, or as one JSON object a line")
      ->check(CLI::IsMember({"text", "json"}))
      ->option_text("text|json")
      ->trigger_on_parse();
  app->set_version_flag("--version", TRANSFOLD_VERSION);
  app->footer("Examples:\n"
              "  transfold compile all-MiniLM-L6-v2 -o minilm\n"
              "  ./minilm embed \"What is a residual stream?\"\n"
              "  transfold compile all-MiniLM-L6-v2 --emit=kernels\n"
              "  transfold check examples/bert.xf all-MiniLM-L6-v2\n"
              "Help on a command: transfold compile --help");
  addCompile(*app, options.compile);
  addTune(*app, options.tune);
  addCheck(*app, options.check);
  addNew(*app, options.draft);
  addEval(*app, options.evaluate);
  addLedger(*app, options.ledger);
  addExplain(*app, options.ledger);
  addVerify(*app, options.verify);
  addReport(*app, options.report);
  addCache(*app, options.clearsCache);
  addTexts(*app, options.shell);
  return app;
}
