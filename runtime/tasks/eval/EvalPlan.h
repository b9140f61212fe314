// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The entries that `eval` runs, the sources of their arguments, and their
// lengths.

#pragma once

#include "runtime/program/metadata/Metadata.h"
#include "runtime/tasks/eval/EvalInputs.h"

#include <optional>
#include <string>
#include <vector>

namespace transfold::runtime::inline tasks {

/// The source of an argument's values; if neither member is set, its default.
struct EvalSource {
  const NpyArray *array = nullptr;
  /// A result of an earlier step.
  struct Earlier {
    size_t step, result;
  };
  std::optional<Earlier> earlier;
};

/// An entry to run.
struct EvalStep {
  size_t entry;
  std::vector<EvalSource> sources; // for each argument
  std::vector<int64_t> padded;     // the entry's lengths in the padded arrays
};

/// The plan of an evaluation.
class EvalPlan {
public:
  /// All entries whose arguments are available, or only the one named. An
  /// argument is taken from the input of its name, else from an earlier entry's
  /// result of its name, else from its default. Throws Error.
  EvalPlan(const Metadata &metadata, const EvalInputs &inputs,
           const std::string &only);

  const std::vector<EvalStep> &steps() const { return chosen; }
  const Entry &entry(const EvalStep &step) const { return entries[step.entry]; }
  /// Lengths of a step in one sequence: the valid positions by the masks.
  std::vector<int64_t> lengths(const EvalStep &step, int64_t sequence) const;

private:
  const std::vector<Entry> &entries;
  const EvalInputs &inputs;
  std::vector<EvalStep> chosen;

  /// The source of an argument; nullopt if only its default is left.
  std::optional<EvalSource> find(const Argument &argument) const;
  std::string consider(size_t index);
  /// The lengths of a step that its arrays determine. Throws Error if they
  /// contradict each other, or leave a length open.
  std::vector<int64_t> paddedLengths(const EvalStep &step) const;
  void copyLengths(const Entry &entry, const Argument &argument,
                   const EvalSource::Earlier &earlier,
                   const std::vector<int64_t> &from,
                   std::vector<int64_t> &lengths) const;
};

} // namespace transfold::runtime::inline tasks
