// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The options of report.

#include "compiler/driver/commands/Commands.h"

#include <CLI/CLI.hpp>

using namespace transfold;
using namespace transfold::driver;

void driver::addReport(CLI::App &app, ReportOptions &report) {
  CompileOptions &compile = report.compile;
  CLI::App *command = app.add_subcommand(
      "report", "Shows what each stage makes of each equation, as a page");
  command->add_option("MODEL", compile.model, modelHelp)->required();
  command
      ->add_option("-o", compile.output,
                   "Output file (default: report.html; JSON goes to standard "
                   "output)")
      ->option_text("FILE");
  command->add_option("--spec", compile.spec, "The equations");
  command->add_flag("--json", report.json,
                    "Write the data as JSON instead of a page");
  command->add_flag("--run", report.run,
                    "Also compile the program and measure it on this machine: "
                    "the time of each kernel, and the time and the error of "
                    "float32 of each equation");
  command->add_option("--target", compile.target,
                      "The processor or GPU, as for compile (default: this "
                      "processor)");
  command
      ->add_option("--schedules", compile.schedules.file,
                   "Kernel schedules measured by `transfold tune`")
      ->option_text("FILE");
  command->add_option("-j,--threads", compile.threads,
                      "Kernels built in parallel (default: all cores)");
  addFoldOptions(command, compile.fold);
  command->add_flag("-q,--quiet", compile.quiet, "Print no progress");
  command->footer("Examples:\n"
                  "  transfold report DIR -o report.html\n"
                  "  transfold report DIR --run -o measured.html\n"
                  "  transfold report DIR --json | jq '.rewrites[].rule'\n"
                  "The page needs no network and no other file; docs/report.md "
                  "describes it.");
}
