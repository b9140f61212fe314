// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The options of compile.

#include "compiler/driver/commands/Commands.h"

#include <CLI/CLI.hpp>

using namespace transfold;
using namespace transfold::driver;

/// Adds the model and its equations, the output, and the stage and target of
/// the compilation.
static void addModelAndOutput(CLI::App *command, CompileOptions &compile) {
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
          "Stop at a stage: ast, equations, xf, folded, staged, kernels, host, "
          "stmt, "
          "llvm, asm, obj, exe; or lib: a C library, libNAME.so or .a, with "
          "its headers; or deb: a Debian package with the executable")
      ->transform(stageOption())
      ->option_text("STAGE");
  command->add_option(
      "--target", compile.target,
      "The processor: x86-64 (with kernels for AVX2 and for AVX-512, chosen "
      "when the program starts), avx2, avx512; arm-64-linux (NEON, also with "
      "dot products), neon; host (this one), or a target of Halide; or a GPU: "
      "opencl, cuda, cuda_80 (NVIDIA since 2020: tensor cores multiply "
      "bfloat16); vulkan (kernels only). Several, separated by commas, such "
      "as cuda,x86-64: the program uses the first that is available");
  command->add_option("-j,--threads", compile.threads,
                      "Kernels built in parallel (default: all cores)");
}

/// Adds the options about the form of a program, and of a package with it.
static void addProgramForm(CLI::App *command, CompileOptions &compile) {
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
}

/// Adds the files that are written besides the output, and the use of the
/// cache.
static void addAccompanyingFiles(CLI::App *command, CompileOptions &compile) {
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
}

/// Adds the taps of layers and the schedules of kernels.
static void addTapsAndSchedules(CLI::App *command, CompileOptions &compile) {
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
}

void driver::addCompile(CLI::App &app, CompileOptions &compile) {
  CLI::App *command =
      app.add_subcommand("compile", "Compiles a model to a native program");
  addModelAndOutput(command, compile);
  addProgramForm(command, compile);
  addAccompanyingFiles(command, compile);
  addFoldOptions(command, compile.fold);
  addTapsAndSchedules(command, compile);
  command->add_flag("--self-check", compile.selfCheck,
                    "Run the program afterwards, and compare its results with "
                    "the equations in double: sequences of several lengths, "
                    "whole and in steps, on each kind of processor");
  command->add_flag("-q,--quiet", compile.quiet, "Print no progress");
  command->add_flag("--show-passes", compile.showPasses,
                    "Print what each pass did: its time, the number of "
                    "operations before and after, and what it moved or folded");
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
