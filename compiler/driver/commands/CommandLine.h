// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The command line of the compiler: all commands with their options.

#pragma once

#include "compiler/driver/evaluate/Evaluate.h"
#include "compiler/driver/model/NewSpec.h"
#include "compiler/driver/output/Compile.h"
#include "compiler/driver/pipeline/ShowLedger.h"
#include "compiler/driver/report/WriteReport.h"
#include "compiler/driver/tune/Tune.h"
#include "compiler/driver/verify/Verify.h"

#include <memory>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace transfold::driver {

/// The options of `check`.
struct CheckOptions {
  std::string spec;
  std::string model;  // empty: the spec is checked alone
  std::string target; // of a program of the model
};

/// The options of all commands.
struct CommandOptions {
  CompileOptions compile;
  TuneOptions tune;
  CheckOptions check;
  NewOptions draft;
  EvaluateOptions evaluate;
  LedgerOptions ledger; // of ledger and explain
  VerifyOptions verify;
  ReportOptions report;
  bool clearsCache = false;
  std::string shell; // of completions
};

/// Parses MLIR's own options (--mlir-print-ir-after-all, --mlir-timing, …);
/// returns the remaining arguments.
std::vector<std::string> takeMlirOptions(int argc, char **argv);

/// Returns the command line. Parsing it stores values in `options`, which must
/// outlive it.
std::unique_ptr<CLI::App> commandLine(CommandOptions &options);

} // namespace transfold::driver
