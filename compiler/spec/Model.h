// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A spec with its libraries and, if given, the values of a checkpoint: names
// resolved, constants evaluated, weights bound to tensors, shapes checked.

#pragma once

#include "base/exact/Dim.h"
#include "compiler/spec/syntax/Diagnostic.h"
#include "compiler/spec/values/Equations.h"

#include <nlohmann/json.hpp>

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace transfold::checkpoint {
class Checkpoint;
}

namespace transfold::spec {

struct File;

/// An argument of an entry.
struct ArgumentInfo {
  std::string name;     // in the equations: tokens
  std::string external; // for callers: input_ids (from `interface`)
  bool integer;         // tokens and indices; otherwise floating-point
  std::vector<Dim> shape;
  std::optional<int64_t> defaultValue; // segments[n] = 0
  /// Integers lie in [0, bound): the size of the axis that they index. 0:
  /// unknown.
  int64_t bound = 0;
  Place place = {};
};

/// A result of an entry.
struct ResultInfo {
  std::string name;
  std::string external;
  std::vector<Dim> shape;
  Place place = {};
};

/// The signature of an entry.
struct EntryInfo {
  std::string name;
  std::vector<ArgumentInfo> arguments;
  std::vector<ResultInfo> results;
  /// The largest value of each length that has a limit, from P[:n] on a table
  /// with n_max rows: {"n", 512}.
  std::vector<std::pair<std::string, int64_t>> limits;
  /// The smallest value of each length that must exceed one position, for x[2]
  /// and x[n - 3]: {"n", 3}.
  std::map<std::string, int64_t> least;
  Place place = {};
};

/// A task of the model, with its options.
struct TaskInfo {
  std::string kind; // embed, classify, …
  std::vector<std::string> entries;
  nlohmann::json options; // evaluated; {"max_tokens": 256}

  /// Whether the task generates tokens one by one; the last of its entries
  /// gives their logits.
  bool makesTokens() const;
};

/// The keys and tensors of a checkpoint that no equation and no table mentions.
struct LeftOver {
  std::vector<std::pair<std::string, std::string>> keys; // with their values
  std::vector<std::string> tensors;
};

/// A spec whose entries are elaborated.
class Model {
public:
  /// Parses `specPath` and its libraries (relative to `root`, the folder that
  /// holds `std/`), checks names and tables, and, with a checkpoint, evaluates
  /// the configuration and binds the weights. Elaborates all entries. Throws
  /// SpecError with all mistakes that were found, or CheckpointError.
  static std::unique_ptr<Model> load(const std::string &specPath,
                                     const std::string &root,
                                     const checkpoint::Checkpoint *checkpoint);
  virtual ~Model() = default;

  /// The name after `model` in the spec, such as "bert".
  virtual const std::string &name() const = 0;
  /// The entries whose condition holds (without a checkpoint: all), in the
  /// order of the file.
  virtual const std::vector<EntryInfo> &entries() const = 0;
  /// The tasks all of whose entries are active, in the order of the file.
  virtual const std::vector<TaskInfo> &tasks() const = 0;

  /// The equations of each of `entries()`; calls of other entries are inlined.
  virtual const std::vector<Equations> &equations() const = 0;

  /// Throws SpecError for the first key that was not read, tensor (or piece of
  /// one) that no equation uses, or `expect` line of a table that does not
  /// hold. Returns warnings about unused definitions.
  virtual std::vector<Diagnostic> finish() = 0;

  /// What `finish` would report as unused; empty without a checkpoint.
  virtual LeftOver leftOver() = 0;

  /// The text of all files that were read, for provenance: (path, text).
  virtual std::vector<std::pair<std::string, std::string>> sources() const = 0;
  /// The syntax trees of the same files, the spec first, with the names under
  /// which they are used. They live as long as the model.
  virtual std::vector<std::pair<std::string, const File *>> files() const = 0;
};

/// All checks of `transfold check SPEC [MODEL]`: loads the spec, and calls
/// `finish`. Returns the warnings.
std::vector<Diagnostic> check(const std::string &specPath,
                              const std::string &root,
                              const checkpoint::Checkpoint *checkpoint);

} // namespace transfold::spec
