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
          return fmt::format("unknown stage '{}'; expected one of {}", word,
                             words);
        }
        word = std::to_string(static_cast<int>(found->second));
        return "";
      },
      fmt::format("{{{}}}", fmt::join(std::views::keys(stageNames()), ",")));
}

static void addFoldOptions(CLI::App *command, FoldOptions &fold) {
  command
      ->add_option("--no-fold", fold.keep,
                   "A constant, bias or gain that is not folded, as the spec "
                   "writes it; 'all' for all")
      ->option_text("NAME");
  command
      ->add_option("--results", fold.results,
                   "Results to keep, by name, or all (default: all but those "
                   "that decoders return besides their logits)")
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
          "gains of norms are folded into the matrices that follow")
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
          "exact: operands that are multiplied by weights stay float32; bf16: "
          "they are rounded to bfloat16 where weights are bfloat16, for twice "
          "the speed on processors with such instructions; int8: they are "
          "rounded to 8 bits, one scale for 32 elements, where weights are "
          "blocks of integers (GGUF)")
      ->check(CLI::IsMember({"exact", "bf16", "int8"}))
      ->option_text("HOW (exact)");
  command
      ->add_option_function<std::string>(
          "--quantize",
          [&fold](const std::string &word) { fold.quantize(word); },
          "Quantize matrices of floats to bf16, int8, int5 or int4 (one scale "
          "for 32 elements, 64 with 8 bits), and round the operands that they "
          "multiply, as --products=bf16 or int8 do; with ':weights', as in "
          "int8:weights, these stay float32")
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
          "bf16: where --products or --quantize round operands, queries, keys "
          "and values are rounded to bfloat16, too, and the KV cache takes "
          "half the memory; exact: they stay float32")
      ->check(CLI::IsMember({"bf16", "exact"}))
      ->option_text("HOW (bf16)");
  CLI::Option *calibrate =
      command
          ->add_option(
              "--calibrate", fold.samples,
              "Run the model on a text, on arrays (NAME=FILE.npy) or on random "
              "inputs (the word random), in double, and choose the scales of "
              "--quantize by the results: factors of channels that cancel out, "
              "and how much each error counts")
          ->expected(1)
          ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
          ->option_text("FILE|random");
  calibrate->needs("--quantize");
  command
      ->add_option("--max-error", fold.maxError,
                   "Weights whose products lose more than this on the samples "
                   "(NMSE) get more bits, or are not quantized")
      ->check(CLI::Validator(
          [](const std::string &word) -> std::string {
            double number = 0;
            return CLI::detail::lexical_cast(word, number) && number > 0
                       ? ""
                       : fmt::format("{} is not a number above 0", word);
          },
          ""))
      ->needs(calibrate)
      ->option_text("E");
}

static const char *const modelHelp =
    "A directory of Hugging Face or CTranslate2, or a GGUF file";

static void addCompile(CLI::App &app, CompileOptions &compile) {
  CLI::App *command =
      app.add_subcommand("compile", "Compiles a model to a native program");
  command->add_option("MODEL", compile.model, modelHelp)->required();
  command->add_option(
      "-o", compile.output,
      "Output file (default: a.out; texts go to standard output)");
  command->add_option("--spec", compile.spec,
                      "The spec of the equations (default: the one named after "
                      "the model_type)");
  command
      ->add_option("--chat-template", compile.chatTemplate,
                   "Jinja template of conversations (default: the model's)")
      ->option_text("FILE");
  command
      ->add_option(
          "--emit", compile.emit,
          "Stop at a stage: ast, xf, folded, staged, kernels, host, stmt, "
          "llvm, asm, obj, exe; or lib: a C library, libNAME.so or .a, with "
          "its headers; or deb: a Debian package with the executable")
      ->transform(stageOption())
      ->option_text("STAGE");
  command->add_option(
      "--target", compile.target,
      "The processor: x86-64 (with kernels for AVX2 and for AVX-512, chosen "
      "when the program starts), avx2, avx512; arm-64-linux (NEON, also with "
      "dot products), neon; host (this one), or a target of Halide; or a GPU: "
      "opencl, cuda; vulkan (kernels only). Several, separated by commas, such "
      "as cuda,x86-64: the program uses the first that is available");
  command->add_option("-j,--threads", compile.threads,
                      "Kernels built in parallel (default: all cores)");
  command->add_flag(
      "--embed-weights", compile.embedWeights,
      "Put the weights into the executable instead of a file beside it");
  command->add_flag("--without-weights", compile.withoutWeights,
                    "Write no weights; such a program is small and can only be "
                    "measured: PROGRAM bench --made-up-weights");
  command->add_flag("--static", compile.isStatic,
                    "Link statically: the executable needs no C library where "
                    "it runs, such as in an empty container");
  command
      ->add_option(
          "--deb-name", compile.debName,
          "Name of the package and its command (default: the file's name)")
      ->option_text("NAME");
  command
      ->add_option("--deb-version", compile.debVersion,
                   "Version of the package (default: 1.0)")
      ->option_text("VERSION");
  command
      ->add_option("--sbom", compile.sbom,
                   "Also write an SPDX document of the contents (PROGRAM info "
                   "--sbom prints it)")
      ->option_text("FILE");
  command
      ->add_option(
          "--depfile", compile.depfile,
          "Also write which files were read, as a rule for Make and Ninja; a "
          "folder is listed if a file was searched in it and not found")
      ->option_text("FILE");
  command->add_flag("!--no-cache", compile.useCache,
                    "Build all kernels anew and cache none");
  addFoldOptions(command, compile.fold);
  command->add_flag("--taps", compile.fold.tapLayers,
                    "Make the outputs of layers results, too, ENTRY.layer0 and "
                    "so on, for verify --program");
  command
      ->add_option("--schedules", compile.schedules.file,
                   "Kernel schedules measured by `transfold tune` (default: "
                   "chosen by rule); the results are the same to the bit")
      ->option_text("FILE");
  command->add_flag("--trials", compile.schedules.trials,
                    "Also include kernels with other schedules, selected by "
                    "TRANSFOLD_CPU=trial1, trial2, …: those of --schedules, or "
                    "those that tune would measure");
  command->add_flag("-q,--quiet", compile.quiet, "Print no progress");
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
  command->add_option("--entry", workload.entry, "The entry to measure")
      ->option_text("NAME");
  number("--batch", workload.batch, "Sequences per run");
  number("--seq", workload.sequence, "Tokens per sequence");
  number("--from", workload.shortest,
         "Mixed lengths, evenly from this many tokens to --seq");
  auto *prompt = number("--prompt", workload.prompt,
                        "Tokens of the prompt that --generate continues");
  auto *generate = number("--generate", workload.generate,
                          "Tokens to generate after --prompt");
  prompt->needs(generate);
  generate->needs(prompt);
  number("--threads", workload.threads,
         "Threads of the measured program (default: all cores)");
}

static void addTune(CLI::App &app, TuneOptions &tune) {
  CLI::App *command = app.add_subcommand(
      "tune", "Measures other schedules of a model's kernels on this machine, "
              "and saves those that are faster");
  command->add_option("MODEL", tune.compile.model, modelHelp)->required();
  command
      ->add_option("-o,--out", tune.output,
                   "Output file, for compile --schedules")
      ->required()
      ->option_text("FILE");
  command->add_option("--spec", tune.compile.spec, "The equations");
  command->add_option(
      "--target", tune.compile.target,
      "The processor: this one, or one that it is compatible with (avx2)");
  addWorkload(command, tune.workload);
  command
      ->add_option("--seconds", tune.seconds,
                   "Time budget of the search in seconds (default: 120)")
      ->check(CLI::PositiveNumber)
      ->option_text("S");
  command->add_option("-j,--jobs", tune.compile.threads,
                      "Kernels built in parallel (default: all cores)");
  addFoldOptions(command, tune.compile.fold);
  command->add_flag("-q,--quiet", tune.compile.quiet, "Print no progress");
  command->footer(
      "The default run of PROGRAM bench is measured, or a prompt of 128 tokens "
      "and 16 more;\n"
      "each schedule has a turn in every round. A schedule is kept if it takes "
      "3 % less time\n"
      "in its kernel and wins four rounds of five, twice; no file is written "
      "unless the\n"
      "program as a whole is faster. Results stay the same to the bit.\n"
      "Examples:\n"
      "  transfold tune DIR -o minilm.json --seq 128 --threads 1\n"
      "  transfold compile DIR -o minilm --schedules=minilm.json\n"
      "  transfold tune FILE.gguf -o own.json --products=int8 --prompt 128 "
      "--generate 16");
}

static void addCheck(CLI::App &app, std::string &spec, std::string &model,
                     std::string &target) {
  CLI::App *command =
      app.add_subcommand("check", "Checks a spec, alone or with a model; with "
                                  "a model, also whether it compiles");
  command->add_option("SPEC", spec, "The spec")->required();
  CLI::Option *of = command->add_option("MODEL", model, modelHelp);
  command
      ->add_option("--target", target,
                   "The processors or GPUs of the program, as for compile")
      ->needs(of);
}

static void addNew(CLI::App &app, NewOptions &draft) {
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

static void addEval(CLI::App &app, EvaluateOptions &evaluate) {
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

static void addLedger(CLI::App &app, LedgerOptions &ledger) {
  CLI::App *command = app.add_subcommand(
      "ledger", "Shows where every constant of the equations went");
  command->add_option("MODEL", ledger.model, modelHelp)->required();
  command->add_option("--spec", ledger.spec, "The equations");
  command->add_flag("--json", ledger.json, "Print JSON");
  addFoldOptions(command, ledger.fold);
}

static void addExplain(CLI::App &app, LedgerOptions &ledger) {
  CLI::App *command =
      app.add_subcommand("explain", "Explains where one constant went");
  command
      ->add_option(
          "CONSTANT", ledger.constant,
          "The constant as the spec writes it ('1 / √d_k'), or its value")
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
              "Help on a command: transfold compile --help");
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
    throw std::runtime_error(
        "there is no folder for a cache; set TRANSFOLD_CACHE to one");
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
    std::string text = error
                           .withNote("It fits, and compiles, with the sizes of "
                                     "this model; with other sizes it may not.")
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
      throw std::runtime_error(
          fmt::format("{}\n   See transfold --help.", error.what()));
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
