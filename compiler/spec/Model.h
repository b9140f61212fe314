// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A spec with its libraries, and a checkpoint's numbers where there is one:
// names resolved, constants evaluated, weights bound to tensors, shapes
// checked.

#ifndef TRANSFOLD_COMPILER_SPEC_MODEL_H
#define TRANSFOLD_COMPILER_SPEC_MODEL_H

#include "compiler/spec/values/Dim.h"
#include "compiler/spec/values/Sink.h"

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

struct ArgumentInfo {
  std::string name;     // in the equations: tokens
  std::string external; // for callers: input_ids (from `interface`)
  bool integer;         // tokens and indices; else reals
  std::vector<Dim> shape;
  std::optional<int64_t> defaultValue; // segments[n] = 0
  /// Integers lie in [0, bound): the size of what they index. 0: unknown.
  int64_t bound = 0;
  Place place = {};
};

struct ResultInfo {
  std::string name;
  std::string external;
  std::vector<Dim> shape;
  Place place = {};
};

struct EntryInfo {
  std::string name;
  std::vector<ArgumentInfo> arguments;
  std::vector<ResultInfo> results;
  /// Largest value of each length, from P[:n] on a table with n_max rows: {"n",
  /// 512}. Lengths without a limit are absent. Known after `elaborate`.
  std::vector<std::pair<std::string, int64_t>> limits;
  /// Smallest value of each length that must have more than one position, for
  /// x[2] and x[n - 3]: {"n", 3}.
  std::map<std::string, int64_t> least;
};

struct TaskInfo {
  std::string kind; // embed, classify, …
  std::vector<std::string> entries;
  nlohmann::json options; // evaluated; {"max_tokens": 256}

  /// One by one; the last of its entries says which.
  bool makesTokens() const;
};

/// What of a checkpoint no equation and no table speaks of.
struct LeftOver {
  std::vector<std::pair<std::string, std::string>> keys; // with their values
  std::vector<std::string> tensors;
};

class Model {
public:
  /// Parses `specPath` and its libraries (relative to `root`, the folder that
  /// holds `std/`), checks names and tables, and, with a checkpoint, evaluates
  /// the configuration. Throws SpecError or CheckpointError.
  static std::unique_ptr<Model> load(const std::string &specPath,
                                     const std::string &root,
                                     const checkpoint::Checkpoint *checkpoint);
  virtual ~Model() = default;

  virtual const std::string &name() const = 0;
  /// Entries whose condition holds (all of them without a checkpoint), in the
  /// order of the file.
  virtual const std::vector<EntryInfo> &entries() const = 0;
  virtual const std::vector<TaskInfo> &tasks() const = 0;

  /// Walks the equations of one entry into `sink`: `argument` for each of its
  /// arguments in order, then the operations; calls of other entries are
  /// inlined. Returns the handles of the results. Throws SpecError.
  virtual std::vector<Handle> elaborate(const std::string &entry,
                                        Sink &sink) = 0;

  /// After every entry was elaborated: config keys that nobody read, tensors
  /// (or pieces of them) that no equation uses, `expect` in tables. Throws
  /// SpecError with the first; returns warnings (unused definitions), ready to
  /// print.
  virtual std::vector<std::string> finish() = 0;

  /// What `finish` would object to; empty without a checkpoint.
  virtual LeftOver leftOver() = 0;

  /// The text of all files that were read, for provenance: (path, text).
  virtual std::vector<std::pair<std::string, std::string>> sources() const = 0;
};

/// All checks of `transfold check SPEC [MODEL]`: load, every entry into a sink
/// that keeps nothing, finish.
std::vector<std::string> check(const std::string &specPath,
                               const std::string &root,
                               const checkpoint::Checkpoint *checkpoint);

} // namespace transfold::spec

#endif // TRANSFOLD_COMPILER_SPEC_MODEL_H
