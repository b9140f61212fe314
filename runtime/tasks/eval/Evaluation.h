// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arrays in, arrays out; used by tests and other programs. All sequences run in
// one call without their padding; results are returned in the padded shape,
// with zeros in place of padding.

#pragma once

#include "runtime/program/call/Call.h"
#include "runtime/tasks/eval/EvalPlan.h"

#include <map>
#include <string>
#include <vector>

namespace transfold::runtime::inline tasks {

/// One evaluation of a program; for use by one thread.
class Evaluation {
public:
  /// Evaluates the entries whose arguments are among `inputs`, which must
  /// outlive this object, or only `entry`. If `chunk` is not 0, entries that
  /// generate run in steps of `chunk` tokens. Throws Error.
  Evaluation(Session &session, const EvalInputs &inputs,
             const std::string &entry, int64_t chunk = 0);

  /// Runs all entries of the plan, each for all sequences. Throws Error.
  void run();

  /// One result for all sequences.
  struct Output {
    size_t step;                // the step that computes it
    std::vector<int64_t> shape; // the batch is the first axis
    std::vector<float> values;
  };
  /// The results of the last run, by name.
  std::map<std::string, Output> &results() { return outputs; }

private:
  Session &session;
  int64_t chunk;
  const EvalInputs &inputs;
  EvalPlan plan;
  std::vector<Call> calls; // one for each step
  std::map<std::string, Output> outputs;

  /// Reserves zeros for a result in its padded shape.
  void makeOutput(const Result &result, size_t step);
  /// Fills the arguments of a step, runs it, and keeps its results.
  void runStep(size_t index);
  /// Fills an argument from its source, for all sequences.
  void fillArgument(const EvalStep &step, Call &call, size_t index) const;
  /// Fills an integer argument of one sequence. Throws Error if the array has
  /// reals, or an element that the model does not know.
  void fillIntegers(const EvalStep &step, Call &call, size_t index,
                    size_t sequence) const;
  /// Copies a result of one sequence to its place among the padding.
  void keepResult(size_t step, size_t index, size_t sequence);
};

} // namespace transfold::runtime::inline tasks
