// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A program whose kernels have several schedules, and its run times with each:
// `PROGRAM bench --kernels`, in separate processes. All runs use the same file
// of weights, so that nothing else differs.

#pragma once

#include "compiler/driver/output/Compile.h"
#include "compiler/kernels/schedule/tune/ScheduleFile.h"

#include <map>
#include <string>
#include <vector>

namespace transfold::driver {

/// The options for `PROGRAM bench`; 0 for its defaults.
struct Workload {
  std::string entry;
  int64_t batch = 0, sequence = 0, shortest = 0, prompt = 0, generate = 0;
  int64_t threads = 0;

  /// Whether any option determines what is run.
  bool isGiven() const {
    return !entry.empty() || batch || sequence || shortest || prompt ||
           generate;
  }
  /// The command-line arguments: "bench --seq 128 --threads 1"
  std::vector<std::string> arguments() const;
};

/// A kernel that programs launch, with its schedule by rule.
struct TriedKernel {
  std::string name;
  /// Its identity, without schedule values and times.
  kernels::MeasuredSchedule own;
  /// The values of its other schedules.
  std::vector<kernels::Numbers> trials;
};

/// The times of a turn and of its kernels.
struct Turn {
  /// The sums over a turn.
  struct Kernel {
    double milliseconds = 0, launches = 0;
  };
  double milliseconds = 0;
  std::map<std::string, Kernel> kernels;
};

/// Compiles and measures such a program.
class TrialProgram {
public:
  /// Compiles it to `path`. Throws std::exception.
  TrialProgram(CompileOptions options, const std::string &path,
               const Workload &workload);

  /// The name of the model.
  const std::string &model() const { return name; }
  /// The kernels with alternative schedules.
  const std::vector<TriedKernel> &kernels() const { return tried; }
  /// The largest number of alternative schedules of a kernel.
  size_t mostTrials() const;

  /// Sets the number of runs of a turn such that it takes a fifth of a second.
  /// Uses one turn to find out, which also brings the program into memory.
  void warmUp();
  /// Runs a turn with the schedules by rule (0), or with the alternatives (1,
  /// …): kernels that have fewer use their last one.
  Turn run(size_t trial) const;
  /// Runs a turn of each, in an order that is reversed every other round.
  std::vector<Turn> runRound(size_t round) const;
  /// The measured workload in words.
  std::string describeWorkload() const;

private:
  /// Reads kernels and their alternatives from the module after all passes.
  void collect(mlir::ModuleOp module);

  std::string path, results; // the executable; its output
  std::string name;          // of the model
  std::string processor;     // the variant with schedules by rule
  Workload workload;
  std::vector<TriedKernel> tried;
  int64_t runs = 1;
};

} // namespace transfold::driver
