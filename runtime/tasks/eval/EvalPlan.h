// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which entries `eval` runs, where their arguments come from, and how long
// everything is.

#ifndef TRANSFOLD_RUNTIME_TASKS_EVAL_EVALPLAN_H
#define TRANSFOLD_RUNTIME_TASKS_EVAL_EVALPLAN_H

#include "runtime/program/metadata/Metadata.h"
#include "runtime/tasks/eval/EvalInputs.h"

#include <optional>
#include <string>
#include <vector>

namespace transfold::runtime {

/// Where an argument's values come from; from its default if from nowhere.
struct EvalSource {
  const NpyArray *array = nullptr;
  /// A result of an earlier step.
  struct Earlier {
    size_t step, result;
  };
  std::optional<Earlier> earlier;
};

/// An entry that runs.
struct EvalStep {
  size_t entry;
  std::vector<EvalSource> sources; // per argument
  std::vector<int64_t> padded;     // the entry's lengths in the arrays
};

class EvalPlan {
public:
  /// All entries that have their arguments, or only the one named. An entry's
  /// argument comes from the input of its name, else from an earlier entry's
  /// result of its name, else from its default. Throws Error.
  EvalPlan(const Metadata &metadata, const EvalInputs &inputs,
           const std::string &only);

  const std::vector<EvalStep> &steps() const { return chosen; }
  const Entry &entry(const EvalStep &step) const { return entries[step.entry]; }
  /// Lengths of a step in one sequence: what the masks leave.
  std::vector<int64_t> lengths(const EvalStep &step, int64_t sequence) const;

private:
  const std::vector<Entry> &entries;
  const EvalInputs &inputs;
  std::vector<EvalStep> chosen;

  std::optional<EvalSource> find(const Argument &argument) const;
  std::string consider(size_t index);
  std::vector<int64_t> paddedLengths(const EvalStep &step) const;
  void copyLengths(const Entry &entry, const Argument &argument,
                   const EvalSource::Earlier &earlier,
                   const std::vector<int64_t> &from,
                   std::vector<int64_t> &lengths) const;
};

} // namespace transfold::runtime

#endif // TRANSFOLD_RUNTIME_TASKS_EVAL_EVALPLAN_H
