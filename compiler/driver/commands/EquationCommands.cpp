// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The options of the commands that check, draft, run and compare the equations
// of a spec, and of those that show how their constants were folded.

#include "compiler/driver/commands/Commands.h"

#include <CLI/CLI.hpp>

using namespace transfold;
using namespace transfold::driver;

void driver::addCheck(CLI::App &app, CheckOptions &check) {
  CLI::App *command =
      app.add_subcommand("check", "Checks a spec, alone or with a model; with "
                                  "a model, also whether it compiles");
  command->add_option("SPEC", check.spec, "The spec")->required();
  CLI::Option *of = command->add_option("MODEL", check.model, modelHelp);
  command
      ->add_option("--target", check.target,
                   "The processors or GPUs of the program, as for compile")
      ->needs(of);
}

void driver::addNew(CLI::App &app, NewOptions &draft) {
  CLI::App *command =
      app.add_subcommand("new", "Drafts the spec of a model that has none");
  command->add_option("MODEL", draft.model, "A Hugging Face directory")
      ->required();
  command->add_option(
      "-o", draft.output,
      "Output file (default: MODEL_TYPE.xf in the current folder)");
  command
      ->add_option("--like", draft.like,
                   "The model whose spec to start from (default: the spec "
                   "whose tables fit nearly all tensors; without one, the "
                   "draft is derived from names)")
      ->option_text("NAME");
  command->footer("Lines with guesses end in `// ?`, and what does not fit is "
                  "listed at the end;\n"
                  "docs/add-a-model.md describes the next steps.");
}

void driver::addEval(CLI::App &app, EvaluateOptions &evaluate) {
  CLI::App *command = app.add_subcommand(
      "eval", "Runs the equations in double precision, as a reference");
  command->add_option("MODEL", evaluate.model, modelHelp)->required();
  command->add_option("--spec", evaluate.spec, "The equations");
  command->add_option("--in", evaluate.inputs, "NAME=FILE.npy")->required();
  command->add_option("--out", evaluate.output, "Folder for the results")
      ->required();
  command->add_option("--entry", evaluate.entry, "Run only this entry");
  command
      ->add_option(
          "--after", evaluate.after,
          "Run the module as it is after a stage: xf, folded, staged, kernels, "
          "host")
      ->transform(stageOption())
      ->option_text("STAGE");

  command
      ->add_option("--chunk", evaluate.chunk,
                   "Run entries that generate in steps of this many tokens")
      ->type_name("N")
      ->check(CLI::Range(int64_t{1}, int64_t{1} << 30));
  addFoldOptions(command, evaluate.fold);
}

void driver::addLedger(CLI::App &app, LedgerOptions &ledger) {
  CLI::App *command = app.add_subcommand(
      "ledger", "Shows where every constant of the equations went");
  command->add_option("MODEL", ledger.model, modelHelp)->required();
  command->add_option("--spec", ledger.spec, "The equations");
  command->add_flag("--json", ledger.json, "Print JSON");
  addFoldOptions(command, ledger.fold);
}

void driver::addExplain(CLI::App &app, LedgerOptions &ledger) {
  CLI::App *command = app.add_subcommand(
      "explain", "Explains where one constant went, or a kind of mistake");
  command
      ->add_option("CONSTANT", ledger.constant,
                   "The constant as the spec writes it ('1 / √d_k'), or its "
                   "value; or the code of a message, XF0501")
      ->required();
  command->add_option("MODEL", ledger.model, modelHelp);
  command->add_option("--spec", ledger.spec, "The equations");
  addFoldOptions(command, ledger.fold);
}

void driver::addVerify(CLI::App &app, VerifyOptions &verify) {
  CLI::App *command = app.add_subcommand(
      "verify", "Compares the folded equations, and a program, with the "
                "equations of the spec, layer by layer");
  command
      ->add_option("MODEL", verify.model,
                   "A directory of Hugging Face or CTranslate2, or a GGUF "
                   "file; missing weights of Hugging Face models are random, "
                   "also for a config.json alone")
      ->required();
  command->add_option("--spec", verify.spec, "The equations");
  command->add_option("--program", verify.program,
                      "An executable of the model, compiled with --taps if "
                      "layers are to be compared (default: compile one)");
  command->add_option("--target", verify.target,
                      "The processor or GPU of the compiled program");
  command->add_flag("--no-program", verify.skipProgram, "Compile no program");
  command->add_flag("--exact", verify.exact,
                    "Compare equations only, and without a tolerance: over "
                    "residues modulo two primes, with random weights");
  command->add_option(
      "--folded", verify.folded,
      "A module as --emit=folded prints it, instead of the result of folding");
  command->add_option("--against", verify.against,
                      "A folder of RESULT.npy files that the original computed "
                      "for the arguments of --in");
  command->add_option(
      "--in", verify.inputs,
      "An argument, NAME=FILE.npy (default: arguments are made up)");
  addFoldOptions(command, verify.fold);
  command->footer(
      "Tolerances, relative to the largest element of a result: 1e-12 for "
      "folded equations;\n"
      "1e-10 for arrays of doubles; for a program, and arrays of float32, four "
      "times the\n"
      "error of float32 in this model, which is measured and printed.");
}
