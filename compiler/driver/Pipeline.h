// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The stages of a compilation, in the order data moves.

#ifndef TRANSFOLD_COMPILER_DRIVER_PIPELINE_H
#define TRANSFOLD_COMPILER_DRIVER_PIPELINE_H

#include "compiler/fold/FewerBits.h"

#include <mlir/IR/BuiltinOps.h>
#include <mlir/Pass/PassManager.h>

#include <functional>
#include <map>
#include <string>
#include <vector>

namespace transfold::driver {

enum class Stage {
  Ast,        ///< the spec's own file as it was parsed
  Xf,         ///< the equations as they were imported
  Folded,     ///< constants moved to where they cost nothing
  Staged,     ///< with steps that go on with a sequence, and their caches
  Kernels,    ///< regions formed, with schedules and targets
  Host,       ///< weights, memory and transfers planned
  Statements, ///< the loops of each kernel, as Halide writes them
  Llvm,       ///< LLVM IR of the entries
  Assembly,   ///< the machine code of the kernels, as text
  Object,     ///< object files in a folder
  Executable,
  Library, ///< for programs in C, with headers
  Package  ///< of Debian, with an executable
};

/// The words of --emit.
const std::map<std::string, Stage> &stageNames();

struct FoldOptions {
  std::vector<std::string> keep;    ///< constants and biases; "all" for all
  std::vector<std::string> results; ///< of the entries; all where empty
  bool intoLowPrecision = false;
  bool tapLayers = false; ///< what layers make becomes results
  bool gains = false;     ///< into the matrices that read them
  /// Matrices of floats.
  fold::Weights weights = fold::Weights::Stored;
  /// What meets weights of few bits.
  fold::Products products = fold::Products::Exact;
  /// Where that is rounded, products of attention are, too, to bfloat16.
  bool roundsAttention = true;

  /// Sample inputs, by which weights are rounded: texts, NAME=FILE.npy, or the
  /// word "random" (driver/Calibration.h).
  std::vector<std::string> samples;
  /// Weights whose products lose more than this (NMSE) get more bits; 0: none.
  double maxError = 0;
  /// What runs the model on them: withCalibration.
  std::function<void(mlir::ModuleOp)> calibration;
  /// What leaves weights as they are whose scales would be beyond float16's
  /// range: withCalibration, too.
  std::function<void(mlir::ModuleOp)> scaleRange;

  /// What --quantize says: bf16, int8, int5 or int4, and ":weights" or not.
  void quantize(llvm::StringRef word);
  /// Whether anything is rounded to fewer bits.
  bool isRounded() const {
    return weights != fold::Weights::Stored ||
           products != fold::Products::Exact;
  }
};

struct ScheduleOptions {
  std::string file;    ///< of schedules that were measured; empty: none
  bool trials = false; ///< kernels come with others that are to be measured
};

/// Adds the passes that round weights and products as `fold` says.
void addRoundings(mlir::PassManager &passes, const FoldOptions &fold);

/// Adds the passes from `from` (exclusive) to `to` (inclusive). Stages behind
/// Host have no passes: they leave MLIR. `withSteps`: what
/// generates gets entries that go on with a sequence.
void addPasses(mlir::PassManager &passes, Stage from, Stage to,
               const std::string &target, const FoldOptions &fold = {},
               bool withSteps = true, const ScheduleOptions &schedules = {});

} // namespace transfold::driver

#endif // TRANSFOLD_COMPILER_DRIVER_PIPELINE_H
