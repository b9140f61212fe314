// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Raw arrays in, raw arrays out; what tests and other programs use. All
// sequences run in one call without their padding; results come back in the
// padded shape, with zeros where there was no token.

#ifndef TRANSFOLD_RUNTIME_TASKS_EVAL_EVALUATION_H
#define TRANSFOLD_RUNTIME_TASKS_EVAL_EVALUATION_H

#include "runtime/program/call/Call.h"
#include "runtime/tasks/eval/EvalPlan.h"

#include <map>
#include <string>
#include <vector>

namespace transfold::runtime {

class Evaluation {
public:
  /// Of the entries that have their arguments among `inputs`, which must live
  /// as long, or of `entry` alone. With `chunk`, what generates runs in steps
  /// of so many tokens. Throws Error.
  Evaluation(Session &session, const EvalInputs &inputs,
             const std::string &entry, int64_t chunk = 0);

  void run();

  /// One result of all sequences.
  struct Output {
    size_t step;                // that gives it
    std::vector<int64_t> shape; // the batch first
    std::vector<float> values;
  };
  /// Those of the last run, by name.
  std::map<std::string, Output> &results() { return outputs; }

private:
  Session &session;
  int64_t chunk;
  const EvalInputs &inputs;
  EvalPlan plan;
  std::vector<Call> calls; // one for each step
  std::map<std::string, Output> outputs;

  void makeOutput(const Result &result, size_t step);
  void runStep(size_t index);
  void fillArgument(const EvalStep &step, Call &call, size_t index) const;
  void fillIntegers(const EvalStep &step, Call &call, size_t index,
                    size_t sequence) const;
  void keepResult(size_t step, size_t index, size_t sequence);
};

} // namespace transfold::runtime

#endif // TRANSFOLD_RUNTIME_TASKS_EVAL_EVALUATION_H
