// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The main program of the compiler: parses the command line and runs the
// command.

#include "base/files/Temporary.h"
#include "base/files/input/MappedFiles.h"
#include "base/files/output/OutputFile.h"
#include "base/text/Messages.h"
#include "compiler/checkpoint/Checkpoint.h"
#include "compiler/driver/cli/CommandTree.h"
#include "compiler/driver/cli/Report.h"
#include "compiler/driver/commands/CommandLine.h"
#include "compiler/driver/model/LoadModel.h"
#include "compiler/driver/model/Locations.h"
#include "compiler/driver/pipeline/Lowering.h"
#include "compiler/driver/pipeline/Targets.h"
#include "compiler/driver/verify/SelfCheck.h"
#include "compiler/kernels/build/KernelCache.h"
#include "compiler/spec/Model.h"
#include "compiler/spec/syntax/Diagnostic.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <llvm/Support/PrettyStackTrace.h>
#include <mlir/IR/MLIRContext.h>

#include <algorithm>
#include <cstdio>
#include <optional>

using namespace transfold;
using namespace transfold::driver;

/// Prints where kernels are cached and how many; removes them if `clear`.
/// Throws std::runtime_error if there is no cache.
static void showCache(bool clear) {
  kernels::KernelCache cache(kernelCacheFolder());
  if (cache.folder().empty())
    throw std::runtime_error(
        "there is no folder for a cache; set TRANSFOLD_CACHE to one");
  auto [entries, bytes] = cache.size();
  if (clear)
    cache.clear();
  printNow(fmt::format(
      "{}: {} kernels, {} KiB{}\n", cache.folder(), entries,
      (bytes + 1023) / 1024,
      clear ? ", removed"
            : fmt::format(" of at most {} MiB", kernelCacheLimit() >> 20)));
}

/// Checks the names of sizes, independent of one model's values, in which h *
/// d_k may happen to equal d.
static void checkOnThePage(const std::string &spec, bool hasModel) {
  std::vector<spec::Diagnostic> warnings;
  try {
    warnings = spec::check(spec, specFolder(), /*checkpoint=*/nullptr);
  } catch (const spec::SpecError &error) {
    if (!hasModel)
      throw;
    warnings = error
                   .withNotes({"It fits, and compiles, with the sizes of this "
                               "model; with other sizes it may not."})
                   .diagnostics;
    for (spec::Diagnostic &warning : warnings)
      warning.severity = spec::Severity::Warning;
    return report(warnings);
  }
  if (!hasModel) // otherwise they were printed already
    report(warnings);
}

/// With a model, accepts exactly what `compile` accepts, because it runs the
/// same passes.
static void check(const CheckOptions &options) {
  if (!options.model.empty()) {
    std::vector<std::string> targets = targetsOf(options.target);
    mlir::MLIRContext context;
    LoadedModel loaded = loadModel(context, options.model, options.spec);
    checkCompiles(*loaded.module, std::move(targets));
  }
  checkOnThePage(options.spec, /*hasModel=*/!options.model.empty());
}

/// A kind of mistake without a model, a constant with one.
static void explain(const LedgerOptions &options) {
  if (!options.model.empty())
    return explainConstant(options);
  const spec::CodePage *page = spec::codePageOf(options.constant);
  if (!page)
    throw std::runtime_error(fmt::format(
        "there is no kind of mistake '{}'; to explain a constant, give the "
        "model, too: transfold explain '{}' MODEL",
        options.constant, options.constant));
  driver::explain(*page);
}

/// Parses `arguments` into the options of `app`. Returns an exit status if this
/// was all, such as after --help. Throws std::runtime_error for invalid
/// arguments.
static std::optional<int> parse(CLI::App &app,
                                std::vector<std::string> arguments) {
  try {
    std::reverse(arguments.begin(), arguments.end());
    app.parse(arguments);
  } catch (const CLI::Success &help) {
    return app.exit(help);
  } catch (const CLI::ParseError &error) {
    throw std::runtime_error(
        fmt::format("{}\n   See transfold --help.", error.what()));
  }
  return std::nullopt;
}

static void compileAndCheck(const CompileOptions &options) {
  if (options.selfCheck)
    checkSelfCheck(options);
  compile(options);
  if (options.selfCheck)
    selfCheck(options);
}

/// Runs the command that was parsed. Throws std::exception.
static void run(const CLI::App &app, const CommandOptions &options) {
  if (app.got_subcommand("compile"))
    compileAndCheck(options.compile);
  else if (app.got_subcommand("tune"))
    tune(options.tune);
  else if (app.got_subcommand("check"))
    check(options.check);
  else if (app.got_subcommand("new"))
    newSpec(options.draft);
  else if (app.got_subcommand("ledger"))
    showLedger(options.ledger);
  else if (app.got_subcommand("explain"))
    explain(options.ledger);
  else if (app.got_subcommand("verify"))
    verify(options.verify);
  else if (app.got_subcommand("report"))
    writeReport(options.report);
  else if (app.got_subcommand("cache"))
    showCache(options.clearsCache);
  else if (app.got_subcommand("manual"))
    printNow(manualPage(describeCommands(app), TRANSFOLD_VERSION));
  else if (app.got_subcommand("completions"))
    printNow(completions(describeCommands(app), options.shell));
  else
    evaluate(options.evaluate);
}

int main(int argc, char **argv) {
  removeTemporariesOnSignals();
  setProgramName("transfold");
  tellOfShortenedFiles("transfold");
  // A crash is a bug of transfold: replaces LLVM's text on how to report it.
  llvm::setBugReportMsg(
      "transfold crashed; please report the command and its input\n");
  try {
    std::vector<std::string> arguments = takeMlirOptions(argc, argv);
    CommandOptions options;
    auto app = commandLine(options);
    if (auto status = parse(*app, std::move(arguments)))
      return *status;
    run(*app, options);
    return 0;
  } catch (const std::exception &error) {
    std::fflush(stdout); // earlier output comes first
    reportFailure(error);
  }
  return 1;
}
