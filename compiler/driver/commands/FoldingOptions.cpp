// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The options of folding and rounding, which several commands share.

#include "compiler/driver/commands/Commands.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

using namespace transfold;
using namespace transfold::driver;

/// Adds the options that determine which constants are folded, and the results
/// that are kept.
static void addFolding(CLI::App *command, FoldOptions &fold) {
  command
      ->add_option("--no-fold", fold.keep,
                   "A constant, bias or gain that is not folded, as the spec "
                   "writes it; 'order' for the order of products, 'all' for "
                   "all")
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
}

/// Adds the options that round weights, and the operands of their products.
static void addRounding(CLI::App *command, FoldOptions &fold) {
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
}

/// Adds the options that choose the rounding of weights by samples. Requires
/// addRounding() before.
static void addCalibration(CLI::App *command, FoldOptions &fold) {
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

void driver::addFoldOptions(CLI::App *command, FoldOptions &fold) {
  addFolding(command, fold);
  addRounding(command, fold);
  addCalibration(command, fold);
}
