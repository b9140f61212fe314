// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A program whose kernels come with other schedules, and how long it takes with
// them: `PROGRAM bench --kernels`, in processes of their own. All have the same
// weights in the same file, so that nothing else differs.

#ifndef TRANSFOLD_COMPILER_DRIVER_TRIALPROGRAM_H
#define TRANSFOLD_COMPILER_DRIVER_TRIALPROGRAM_H

#include "compiler/driver/Compile.h"
#include "compiler/kernels/schedule/ScheduleFile.h"

#include <map>
#include <string>
#include <vector>

namespace transfold::driver {

/// What `PROGRAM bench` is asked to do; 0 for what it does by itself.
struct Workload {
  std::string entry;
  int64_t batch = 0, sequence = 0, shortest = 0, prompt = 0, generate = 0;
  int64_t threads = 0;

  /// Whether anything says what is to be run.
  bool isGiven() const {
    return !entry.empty() || batch || sequence || shortest || prompt ||
           generate;
  }
  /// "bench --seq 128 --threads 1"
  std::vector<std::string> arguments() const;
};

/// A kernel as programs launch it, with its schedule by rule.
struct TriedKernel {
  std::string name;
  /// What it is, without numbers and times.
  kernels::MeasuredSchedule own;
  /// The numbers of its other schedules.
  std::vector<kernels::Numbers> trials;
};

/// How long a run took, and its kernels.
struct Turn {
  struct Kernel {
    double milliseconds = 0, launches = 0;
  };
  double milliseconds = 0;
  std::map<std::string, Kernel> kernels;
};

class TrialProgram {
public:
  /// Compiles it to `path`. Throws std::exception.
  TrialProgram(CompileOptions options, const std::string &path,
               const Workload &workload);

  /// The name of the model.
  const std::string &model() const { return name; }
  const std::vector<TriedKernel> &kernels() const { return tried; }
  /// The most schedules that a kernel has beside its own.
  size_t mostTrials() const;

  /// Where a run is short, a turn is as many as take a fifth of a second. Takes
  /// a turn to find out, which also brings the program into memory.
  void warmUp();
  /// A turn with the schedules by rule (0), or with other ones (1, …): kernels
  /// that have fewer take their last.
  Turn run(size_t trial) const;
  /// A turn of each, in an order that turns around every other round.
  std::vector<Turn> runRound(size_t round) const;
  /// What was measured, in words.
  std::string describeWorkload() const;

private:
  void collect(mlir::ModuleOp module);

  std::string path, results; // the executable; what it prints
  std::string name;          // of the model
  std::string processor;     // the name of the variant by rule
  Workload workload;
  std::vector<TriedKernel> tried;
  int64_t runs = 1;
};

} // namespace transfold::driver

#endif // TRANSFOLD_COMPILER_DRIVER_TRIALPROGRAM_H
