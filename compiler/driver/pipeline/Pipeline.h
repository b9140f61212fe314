// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The stages of a compilation, in order.

#pragma once

#include "compiler/fold/FewerBits.h"

#include <mlir/IR/BuiltinOps.h>
#include <mlir/Pass/PassManager.h>

#include <functional>
#include <map>
#include <string>
#include <vector>

namespace transfold::driver {

/// The stages; each includes the previous ones.
enum class Stage {
  Ast,        ///< the spec's own file after parsing
  Equations,  ///< the steps of each entry, as the spec's equations give them
  Xf,         ///< the equations after import
  Folded,     ///< constants moved to where they cost nothing
  Staged,     ///< with entries for steps, and caches
  Kernels,    ///< kernels formed, with schedules and targets
  Host,       ///< weights, memory and transfers planned
  Statements, ///< the loops of each kernel, as Halide prints them
  Llvm,       ///< LLVM IR of the entries
  Assembly,   ///< the machine code of the kernels, as text
  Object,     ///< object files in a folder
  Executable,
  Library, ///< for programs in C, with headers
  Package  ///< a Debian package with an executable
};

/// The names of stages for --emit.
const std::map<std::string, Stage> &stageNames();

/// The options of folding and rounding.
struct FoldOptions {
  std::vector<std::string> keep;    ///< constants and biases; "all" for all
  std::vector<std::string> results; ///< of the entries; all if empty
  bool intoLowPrecision = false;
  bool tapLayers = false; ///< the values that layers yield become results
  bool gains = false;     ///< move into the matrices that read them
  /// Rounding of matrices of floats.
  fold::Weights weights = fold::Weights::Stored;
  /// Rounding of operands that are multiplied with weights of few bits.
  fold::Products products = fold::Products::Exact;
  /// Whether the products of attention are then rounded to bfloat16 too.
  bool roundsAttention = true;

  /// Sample inputs for calibrating the rounding of weights: texts,
  /// NAME=FILE.npy, or the word "random" (driver/evaluate/Calibration.h).
  std::vector<std::string> samples;
  /// Weights whose products have a larger error (NMSE) than this get more bits;
  /// 0: no limit.
  double maxError = 0;
  /// Runs the model on the samples; set by withCalibration.
  std::function<void(mlir::ModuleOp)> calibration;
  /// Cancels the rounding of weights whose scales would exceed float16's range;
  /// also set by withCalibration.
  std::function<void(mlir::ModuleOp)> scaleRange;

  /// Parses the value of --quantize: bf16, int8, int5 or int4, optionally with
  /// ":weights".
  void quantize(llvm::StringRef word);
  /// Whether anything is rounded to fewer bits.
  bool isRounded() const {
    return weights != fold::Weights::Stored ||
           products != fold::Products::Exact;
  }
};

/// The options of schedules.
struct ScheduleOptions {
  std::string file;    ///< file of measured schedules; empty: none
  bool trials = false; ///< kernels also get the schedules to be measured
};

/// Adds the passes that round weights and products according to `fold`.
void addRoundings(mlir::PassManager &passes, const FoldOptions &fold);

/// Adds the passes from `from` (exclusive) to `to` (inclusive). Stages after
/// Host have no passes: they leave MLIR. `withSteps`: entries that generate get
/// entries that continue a sequence.
void addPasses(mlir::PassManager &passes, Stage from, Stage to,
               const std::string &target, const FoldOptions &fold = {},
               bool withSteps = true, const ScheduleOptions &schedules = {});

} // namespace transfold::driver
