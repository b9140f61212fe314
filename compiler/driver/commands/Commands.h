// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Adds the commands to the command line, each with its options. Help, the
// manual page and completions list options in the order in which they are
// added.

#pragma once

#include "compiler/driver/commands/CommandLine.h"

namespace CLI {
class Validator;
}

namespace transfold::driver {

/// The description of the argument MODEL.
inline constexpr const char *modelHelp =
    "A directory of Hugging Face or CTranslate2, or a GGUF file";

/// Converts the name of a stage to its number. The description lists all names,
/// for completions; help shows a shorter text.
CLI::Validator stageOption();

/// Adds the options of folding and rounding to a command.
void addFoldOptions(CLI::App *command, FoldOptions &fold);

// Each of these functions adds one command.
void addCompile(CLI::App &app, CompileOptions &compile);
void addTune(CLI::App &app, TuneOptions &tune);
void addCheck(CLI::App &app, CheckOptions &check);
void addNew(CLI::App &app, NewOptions &draft);
void addEval(CLI::App &app, EvaluateOptions &evaluate);
void addLedger(CLI::App &app, LedgerOptions &ledger);
void addExplain(CLI::App &app, LedgerOptions &ledger);
void addVerify(CLI::App &app, VerifyOptions &verify);
void addReport(CLI::App &app, ReportOptions &report);

} // namespace transfold::driver
