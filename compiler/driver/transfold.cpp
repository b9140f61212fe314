// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The command line of the compiler.

#include "compiler/checkpoint/Checkpoint.h"
#include "compiler/driver/cli/CommandTree.h"
#include "compiler/driver/evaluate/Evaluate.h"
#include "compiler/driver/model/LoadModel.h"
#include "compiler/driver/model/Locations.h"
#include "compiler/driver/model/NewSpec.h"
#include "compiler/driver/output/Compile.h"
#include "compiler/driver/pipeline/Lowering.h"
#include "compiler/driver/pipeline/ShowLedger.h"
#include "compiler/driver/pipeline/Targets.h"
#include "compiler/driver/tune/Tune.h"
#include "compiler/driver/verify/Verify.h"
#include "compiler/kernels/build/KernelCache.h"
#include "compiler/spec/Model.h"
#include "runtime/commands/cli/Messages.h"
#include "runtime/files/Temporary.h"
#include "runtime/files/input/MappedFiles.h"
#include "runtime/files/output/OutputFile.h"

#include <CLI/CLI.hpp>
#include <fmt/ranges.h>
#include <llvm/Support/CommandLine.h>
#include <llvm/Support/PrettyStackTrace.h>
#include <mlir/IR/AsmState.h>
#include <mlir/IR/MLIRContext.h>
#include <mlir/Pass/PassManager.h>
#include <mlir/Support/Timing.h>

#include <cstdio>
#include <ranges>

using namespace transfold;
using namespace transfold::driver;

/// Parses MLIR's own options (--mlir-print-ir-after-all, --mlir-timing, …);
/// returns the remaining arguments.
static std::vector<std::string> takeMlirOptions(int argc, char **argv) {
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

/// Converts the name of a stage to its number. The description lists all names,
/// for completions; help shows a shorter text.
static CLI::Validator stageOption() {
  return CLI::Validator(
      [](std::string &word) -> std::string {
        auto found = stageNames().find(word);
        if (found == stageNames().end()) {
          std::string words;
          for (const auto &[name, stage] : stageNames())
            words += (words.empty() ? "" : ", ") + name;
          return fmt::format("'{}' is no stage; there are {}", word, words);
        }
        word = std::to_string(static_cast<int>(found->second));
        return "";
      },
      fmt::format("{{{}}}", fmt::join(std::views::keys(stageNames()), ",")));
}

static void addFoldOptions(CLI::App *command, FoldOptions &fold) {
  command
      ->add_option(
          "--no-fold", fold.keep,
          "A constant, bias or gain that stays, as the spec writes it; 'all' "
          "for all")
      ->option_text("NAME");
  command
      ->add_option(
          "--results", fold.results,
          "What entries give, by name, or all; else all but what decoders "
          "give beside their logits")
      ->delimiter(',')
      ->option_text("NAME,…");
  command
      ->add_option_function<std::vector<std::string>>(
          "--fold",
          [&fold](const std::vector<std::string> &words) {
            for (const std::string &word : words)
              (word == "gains" ? fold.gains : fold.intoLowPrecision) = true;
          },
          "into-low-precision: weights of 16 bits may be rounded again; gains: "
          "those of norms go into the matrices behind them")
      ->delimiter(',')
      ->check(CLI::IsMember({"into-low-precision", "gains"}))
      ->option_text("WHAT,…");
  command
      ->add_option_function<std::string>(
          "--products",
          [&fold](const std::string &word) {
            fold.products = word == "bf16"   ? fold::Products::BF16
                            : word == "int8" ? fold::Products::Int8
                                             : fold::Products::Exact;
          },
          "exact: what meets weights stays float32; bf16: it is rounded to "
          "that where weights are bfloat16, for twice the speed where "
          "processors multiply so; int8: it is rounded to 8 bits, 32 numbers "
          "with one scale, where weights are blocks of integers (GGUF)")
      ->check(CLI::IsMember({"exact", "bf16", "int8"}))
      ->option_text("HOW (exact)");
  command
      ->add_option_function<std::string>(
          "--quantize",
          [&fold](const std::string &word) { fold.quantize(word); },
          "Round matrices of floats: bf16, int8, int5 or int4 (32 numbers "
          "share a scale, 64 of 8 bits), and what meets them, as "
          "--products=bf16 or int8 do; "
          "with ':weights', as in int8:weights, that stays float32")
      ->check(CLI::IsMember({"bf16", "int8", "int5", "int4", "bf16:weights",
                             "int8:weights", "int5:weights", "int4:weights"}))
      ->excludes("--products")
      ->option_text("FORMAT[:weights]");
  command
      ->add_option_function<std::string>(
          "--attention",
          [&fold](const std::string &word) {
            fold.roundsAttention = word == "bf16";
          },
          "bf16: where --products or --quantize round what meets weights, "
          "queries, keys and values are rounded to that, and earlier ones are "
          "kept so, in half the memory; exact: they stay float32")
      ->check(CLI::IsMember({"bf16", "exact"}))
      ->option_text("HOW (bf16)");
  CLI::Option *calibrate =
      command
          ->add_option(
              "--calibrate", fold.samples,
              "Run the model on a text, on arrays (NAME=FILE.npy) or on random "
              "inputs (the word random), in double, and choose the scales of "
              "--quantize by that: factors of channels that nobody else sees, "
              "and which errors count")
          ->expected(1)
          ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
          ->option_text("FILE|random");
  calibrate->needs("--quantize");
  command
      ->add_option("--max-error", fold.maxError,
                   "Weights whose products lose more than this on the samples "
                   "(NMSE) get more bits, or stay as they are")
      ->check(CLI::Validator(
          [](const std::string &word) -> std::string {
            double number = 0;
            return CLI::detail::lexical_cast(word, number) && number > 0
                       ? ""
                       : fmt::format("{} is no number above 0", word);
          },
          ""))
      ->needs(calibrate)
      ->option_text("E");
}

static const char *const modelHelp =
    "A directory of Hugging Face or CTranslate2, or a GGUF file";

static void addCompile(CLI::App &app, CompileOptions &compile) {
  CLI::App *command =
      app.add_subcommand("compile", "Makes a native program of a model");
  command->add_option("MODEL", compile.model, modelHelp)->required();
  command->add_option("-o", compile.output,
                      "Where to write (a.out; texts go to standard output)");
  command->add_option(
      "--spec", compile.spec,
      "The equations; else the spec with the name of the model_type");
  command
      ->add_option("--chat-template", compile.chatTemplate,
                   "The Jinja template of conversations, instead of the "
                   "model's")
      ->option_text("FILE");
  command
      ->add_option("--emit", compile.emit,
                   "Stop at a stage: ast, xf, folded, staged, kernels, host, "
                   "stmt, llvm, asm, "
                   "obj, exe; or lib: a library for programs in C, libNAME.so "
                   "or .a, with its headers; or deb: a package of Debian with "
                   "the executable")
      ->transform(stageOption())
      ->option_text("STAGE");
  command->add_option(
      "--target", compile.target,
      "The processor: x86-64 (with kernels for AVX2 and for AVX-512, chosen "
      "when the program starts), avx2, avx512; arm-64-linux (NEON, also with "
      "dot products), neon; host (this one), or as Halide writes it; or a GPU "
      "beside it: opencl, cuda; vulkan (kernels only). Several with commas "
      "between them, such as "
      "cuda,x86-64: the program takes the first that is there");
  command->add_option("-j,--threads", compile.threads,
                      "Kernels built at a time (all cores)");
  command->add_flag("--embed-weights", compile.embedWeights,
                    "Put the weights into the executable, not beside it");
  command->add_flag(
      "--without-weights", compile.withoutWeights,
      "Write no weights. Such a program is small to send, and only "
      "measures: PROGRAM bench --made-up-weights");
  command->add_flag("--static", compile.isStatic,
                    "The executable needs no C library on its machine, such "
                    "as in an empty container");
  command
      ->add_option("--deb-name", compile.debName,
                   "What the package and its command are called (as the file)")
      ->option_text("NAME");
  command
      ->add_option("--deb-version", compile.debVersion,
                   "The package's version (1.0)")
      ->option_text("VERSION");
  command
      ->add_option("--sbom", compile.sbom,
                   "Also write what is inside, an SPDX document (PROGRAM info "
                   "--sbom prints it)")
      ->option_text("FILE");
  command
      ->add_option("--depfile", compile.depfile,
                   "Also write which files were read, as a rule of Make and "
                   "Ninja; a folder in it is one where a file was looked for "
                   "that was not there")
      ->option_text("FILE");
  command->add_flag("!--no-cache", compile.useCache,
                    "Build all kernels anew and keep none");
  addFoldOptions(command, compile.fold);
  command->add_flag("--taps", compile.fold.tapLayers,
                    "What layers make becomes results too, ENTRY.layer0 and "
                    "on: for verify --program");
  command
      ->add_option("--schedules", compile.schedules.file,
                   "Schedules of kernels that `transfold tune` measured, "
                   "instead of those by rule; the results are the same to the "
                   "bit")
      ->option_text("FILE");
  command->add_flag("--trials", compile.schedules.trials,
                    "Kernels come with other schedules, too, which "
                    "TRANSFOLD_CPU=trial1, trial2, … choose: those of "
                    "--schedules, or those that tune would measure");
  command->add_flag("-q,--quiet", compile.quiet, "No progress");
  command->footer(
      "Examples:\n"
      "  transfold compile DIR -o minilm --embed-weights\n"
      "  transfold compile DIR -o small --quantize=int8\n"
      "  transfold compile DIR -o tiny --quantize=int4 --calibrate texts.txt\n"
      "  transfold compile DIR -o minilm --schedules=minilm.json\n"
      "  transfold compile DIR -o minilm --target=cuda,x86-64\n"
      "  transfold compile DIR --emit=lib -o lib/libminilm.so\n"
      "  transfold compile DIR --emit=deb -o minilm.deb\n"
      "  transfold compile DIR --emit=kernels --mlir-timing\n"
      "MLIR's options work too: --mlir-print-ir-after-all, "
      "--mlir-pass-pipeline-crash-reproducer=FILE");
}

static void addWorkload(CLI::App *command, Workload &workload) {
  auto number = [&](const char *name, int64_t &value, const char *help) {
    return command->add_option(name, value, help)
        ->check(CLI::Range(int64_t{1}, int64_t{1} << 30))
        ->option_text("N");
  };
  command->add_option("--entry", workload.entry, "The entry that is measured")
      ->option_text("NAME");
  number("--batch", workload.batch, "Sequences in one run");
  number("--seq", workload.sequence, "Tokens in a sequence");
  number("--from", workload.shortest,
         "Mixed lengths, evenly from this many tokens to --seq");
  auto *prompt = number("--prompt", workload.prompt,
                        "Tokens of a prompt that --generate goes on with");
  auto *generate =
      number("--generate", workload.generate, "Tokens to make behind --prompt");
  prompt->needs(generate);
  generate->needs(prompt);
  number("--threads", workload.threads, "Of the program (all cores)");
}

static void addTune(CLI::App &app, TuneOptions &tune) {
  CLI::App *command = app.add_subcommand(
      "tune", "Measures other schedules of a model's kernels on this machine, "
              "and writes down those that are faster");
  command->add_option("MODEL", tune.compile.model, modelHelp)->required();
  command
      ->add_option("-o,--out", tune.output, "The file for compile --schedules")
      ->required()
      ->option_text("FILE");
  command->add_option("--spec", tune.compile.spec, "The equations");
  command->add_option("--target", tune.compile.target,
                      "The processor: this one, or a less able one that it is, "
                      "too (avx2)");
  addWorkload(command, tune.workload);
  command
      ->add_option("--seconds", tune.seconds,
                   "That rounds may take in which schedules are chosen, where "
                   "they go on changing (120)")
      ->check(CLI::PositiveNumber)
      ->option_text("S");
  command->add_option("-j,--jobs", tune.compile.threads,
                      "Kernels built at a time (all cores)");
  addFoldOptions(command, tune.compile.fold);
  command->add_flag("-q,--quiet", tune.compile.quiet, "No progress");
  command->footer(
      "What is measured is what PROGRAM bench does by itself, or a prompt of "
      "128 tokens and\n16 behind it; each schedule has a turn in every round. "
      "One is kept that takes 3 % less\nof its kernel's time and wins four "
      "rounds of five, twice; no file is written where the\nprogram as a "
      "whole is not faster. It changes no bit of a result.\n"
      "Examples:\n"
      "  transfold tune DIR -o minilm.json --seq 128 --threads 1\n"
      "  transfold compile DIR -o minilm --schedules=minilm.json\n"
      "  transfold tune FILE.gguf -o own.json --products=int8 --prompt 128 "
      "--generate 16");
}

static void addCheck(CLI::App &app, std::string &spec, std::string &model,
                     std::string &target) {
  CLI::App *command = app.add_subcommand(
      "check", "Checks a spec, alone or with a model: then it also says "
               "whether compile takes it");
  command->add_option("SPEC", spec, "The spec")->required();
  CLI::Option *of = command->add_option("MODEL", model, modelHelp);
  command
      ->add_option("--target", target,
                   "The processors or GPUs of the program, as compile has them")
      ->needs(of);
}

static void addNew(CLI::App &app, NewOptions &draft) {
  CLI::App *command =
      app.add_subcommand("new", "Drafts the spec of a model that has none");
  command->add_option("MODEL", draft.model, "A Hugging Face directory")
      ->required();
  command->add_option("-o", draft.output,
                      "Where to write (its model_type with .xf, here)");
  command
      ->add_option("--like", draft.like,
                   "The model whose spec is the start; else the spec whose "
                   "tables fit nearly all tensors is, where there is one, and "
                   "the draft is made of names where there is none")
      ->option_text("NAME");
  command->footer(
      "Guesses end in `// ?`, and what does not fit is listed at the end;\n"
      "docs/add-a-model.md goes on from there.");
}

static void addEval(CLI::App &app, EvaluateOptions &evaluate) {
  CLI::App *command = app.add_subcommand(
      "eval", "Runs the equations themselves, in double: the reference");
  command->add_option("MODEL", evaluate.model, modelHelp)->required();
  command->add_option("--spec", evaluate.spec, "The equations");
  command->add_option("--in", evaluate.inputs, "NAME=FILE.npy")->required();
  command->add_option("--out", evaluate.output, "Folder for the results")
      ->required();
  command->add_option("--entry", evaluate.entry, "One entry only");
  command
      ->add_option(
          "--after", evaluate.after,
          "Run the module as it is after a stage: xf, folded, staged, kernels, "
          "host")
      ->transform(stageOption())
      ->option_text("STAGE");

  command
      ->add_option("--chunk", evaluate.chunk,
                   "Run what generates in steps of so many tokens")
      ->type_name("N")
      ->check(CLI::Range(int64_t{1}, int64_t{1} << 30));
  addFoldOptions(command, evaluate.fold);
}

static void addLedger(CLI::App &app, LedgerOptions &ledger) {
  CLI::App *command = app.add_subcommand(
      "ledger", "Shows where every constant of the equations went");
  command->add_option("MODEL", ledger.model, modelHelp)->required();
  command->add_option("--spec", ledger.spec, "The equations");
  command->add_flag("--json", ledger.json, "As JSON");
  addFoldOptions(command, ledger.fold);
}

static void addExplain(CLI::App &app, LedgerOptions &ledger) {
  CLI::App *command =
      app.add_subcommand("explain", "Tells one constant's story");
  command
      ->add_option("CONSTANT", ledger.constant,
                   "As the spec writes it ('1 / √d_k'), or its value")
      ->required();
  command->add_option("MODEL", ledger.model, modelHelp)->required();
  command->add_option("--spec", ledger.spec, "The equations");
  addFoldOptions(command, ledger.fold);
}

static void addVerify(CLI::App &app, VerifyOptions &verify) {
  CLI::App *command = app.add_subcommand(
      "verify", "Compares the folded equations, and a program, with the "
                "equations of the spec, layer by layer");
  command
      ->add_option("MODEL", verify.model,
                   "A directory of Hugging Face or CTranslate2, or a GGUF "
                   "file; weights of Hugging Face that are not there are made "
                   "up, also for a config.json alone")
      ->required();
  command->add_option("--spec", verify.spec, "The equations");
  command->add_option("--program", verify.program,
                      "An executable made of the model, with --taps to have "
                      "its layers compared; else one is made");
  command->add_option("--target", verify.target,
                      "The processor or GPU of the program that is made");
  command->add_flag("--no-program", verify.skipProgram, "No program is made");
  command->add_option("--folded", verify.folded,
                      "A module as --emit=folded prints it, instead of what "
                      "folding makes");
  command->add_option("--against", verify.against,
                      "A folder of RESULT.npy that the original computed, "
                      "for the arguments of --in");
  command->add_option("--in", verify.inputs,
                      "NAME=FILE.npy; else arguments are made up");
  addFoldOptions(command, verify.fold);
  command->footer(
      "What is the same, beside the largest number of a result: folded "
      "equations to 1e-12;\narrays of doubles to 1e-10; a program, and arrays "
      "of float32, to four times what\nfloat32 loses in this model, which is "
      "measured and said.");
}

static void addCache(CLI::App &app, bool &clear) {
  CLI::App *command = app.add_subcommand(
      "cache", "Shows where built kernels are kept, and how much they take");
  command->add_flag("--clear", clear, "Remove them");
  command->footer("TRANSFOLD_CACHE is the folder, TRANSFOLD_CACHE_MIB how much "
                  "they may take (1024):\nbeyond it, those that were used "
                  "longest ago are removed.");
}

/// Commands for packaging the compiler; help shows neither.
static void addTexts(CLI::App &app, std::string &shell) {
  app.add_subcommand("manual", "Prints the manual page")->group("");
  app.add_subcommand("completions", "Prints what a shell completes words with")
      ->group("")
      ->add_option("SHELL", shell)
      ->required()
      ->check(CLI::IsMember(completedShells()));
}

static std::unique_ptr<CLI::App>
commandLine(CompileOptions &compile, TuneOptions &tune,
            EvaluateOptions &evaluate, LedgerOptions &ledger,
            VerifyOptions &verify, NewOptions &draft, std::string &spec,
            std::string &model, std::string &target, bool &clear,
            std::string &shell) {
  auto app = std::make_unique<CLI::App>(
      "Compiles the equations of transformers to native programs.",
      "transfold");
  app->require_subcommand(1);
  app->set_version_flag("--version", TRANSFOLD_VERSION);
  app->footer("Examples:\n"
              "  transfold compile all-MiniLM-L6-v2 -o minilm\n"
              "  ./minilm embed \"What is a residual stream?\"\n"
              "  transfold compile all-MiniLM-L6-v2 --emit=kernels\n"
              "  transfold check examples/bert.xf all-MiniLM-L6-v2\n"
              "Each command explains itself: transfold compile --help");
  addCompile(*app, compile);
  addTune(*app, tune);
  addCheck(*app, spec, model, target);
  addNew(*app, draft);
  addEval(*app, evaluate);
  addLedger(*app, ledger);
  addExplain(*app, ledger);
  addVerify(*app, verify);
  addCache(*app, clear);
  addTexts(*app, shell);
  return app;
}

static void showCache(bool clear) {
  kernels::KernelCache cache(kernelCacheFolder());
  if (cache.folder().empty())
    throw std::runtime_error("there is no place for a cache; set "
                             "TRANSFOLD_CACHE to a folder");
  auto [entries, bytes] = cache.size();
  if (clear)
    cache.clear();
  runtime::printNow(fmt::format(
      "{}: {} kernels, {} KiB{}\n", cache.folder(), entries,
      (bytes + 1023) / 1024,
      clear ? ", removed"
            : fmt::format(" of at most {} MiB", kernelCacheLimit() >> 20)));
}

static void printWarnings(const std::vector<std::string> &warnings) {
  for (const std::string &warning : warnings)
    runtime::reportLine(warning);
}

/// Checks the names of sizes, independent of one model's values, in which h *
/// d_k may happen to equal d.
static void checkOnThePage(const std::string &spec, bool hasModel) {
  std::vector<std::string> warnings;
  try {
    warnings = spec::check(spec, specFolder(), /*checkpoint=*/nullptr);
  } catch (const spec::SpecError &error) {
    if (!hasModel)
      throw;
    std::string text =
        error
            .withNote("In this model's numbers it fits, and compiles; in "
                      "another's it may not.")
            .what();
    const std::string kind = ": error: ";
    if (size_t place = text.find(kind); place != std::string::npos)
      text.replace(place, kind.size(), ": warning: ");
    runtime::reportLine(text);
  }
  if (!hasModel) // otherwise they were printed already
    printWarnings(warnings);
}

/// With a model, accepts exactly what `compile` accepts, because it runs the
/// same passes.
static void check(const std::string &spec, const std::string &model,
                  const std::string &target) {
  if (!model.empty()) {
    std::vector<std::string> targets = targetsOf(target);
    mlir::MLIRContext context;
    LoadedModel loaded = loadModel(context, model, spec);
    checkCompiles(*loaded.module, std::move(targets));
  }
  checkOnThePage(spec, /*hasModel=*/!model.empty());
}

int main(int argc, char **argv) {
  runtime::removeTemporariesOnSignals();
  runtime::setProgramName("transfold");
  runtime::tellOfShortenedFiles("transfold");
  // A crash is a bug of transfold: replaces LLVM's text on how to report it.
  llvm::setBugReportMsg(
      "transfold crashed; please report the command and its input\n");
  try {
    std::vector<std::string> arguments = takeMlirOptions(argc, argv);
    CompileOptions compileOptions;
    TuneOptions tuneOptions;
    EvaluateOptions evaluateOptions;
    LedgerOptions ledgerOptions;
    VerifyOptions verifyOptions;
    NewOptions newOptions;
    std::string spec, model, target, shell;
    bool clear = false;
    auto app = commandLine(compileOptions, tuneOptions, evaluateOptions,
                           ledgerOptions, verifyOptions, newOptions, spec,
                           model, target, clear, shell);
    try {
      std::reverse(arguments.begin(), arguments.end());
      app->parse(arguments);
    } catch (const CLI::Success &help) {
      return app->exit(help);
    } catch (const CLI::ParseError &error) {
      throw std::runtime_error(fmt::format(
          "{}\n   transfold --help shows how it is used", error.what()));
    }
    if (app->got_subcommand("compile"))
      compile(compileOptions);
    else if (app->got_subcommand("tune"))
      tune(tuneOptions);
    else if (app->got_subcommand("check"))
      check(spec, model, target);
    else if (app->got_subcommand("new"))
      newSpec(newOptions);
    else if (app->got_subcommand("ledger"))
      showLedger(ledgerOptions);
    else if (app->got_subcommand("explain"))
      explainConstant(ledgerOptions);
    else if (app->got_subcommand("verify"))
      verify(verifyOptions);
    else if (app->got_subcommand("cache"))
      showCache(clear);
    else if (app->got_subcommand("manual"))
      runtime::printNow(manualPage(describeCommands(*app), TRANSFOLD_VERSION));
    else if (app->got_subcommand("completions"))
      runtime::printNow(completions(describeCommands(*app), shell));
    else
      evaluate(evaluateOptions);
    return 0;
  } catch (const spec::SpecError &error) {
    std::fflush(stdout); // earlier output comes first
    // The message already begins with the location.
    runtime::reportLine(error.what());
  } catch (const std::exception &error) {
    std::fflush(stdout);
    runtime::reportError(error.what());
  }
  return 1;
}
