// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the compiler tells the runtime about the program (Program.h).

#ifndef TRANSFOLD_RUNTIME_PROGRAM_METADATA_H
#define TRANSFOLD_RUNTIME_PROGRAM_METADATA_H

#include "runtime/program/Speech.h"
#include "runtime/program/TokenRules.h"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace transfold::runtime {

/// One axis of a shape: one of the entry's lengths, or a fixed size.
struct Axis {
  int length = -1; // index into Entry::lengths; -1: fixed
  int64_t size = 0;
};
using Shape = std::vector<Axis>;

struct Argument {
  std::string name;     // in the equations
  std::string external; // for callers
  bool integer = true;  // int32; else float
  Shape shape;
  /// Fills the argument where the caller gives none.
  std::optional<double> defaultValue;
  /// Integers lie in [0, bound); 0: unknown.
  int64_t bound = 0;
  /// The position of a step's first row; which of its rows are asked for.
  bool isFirst = false, isWanted = false;
};

struct Result {
  std::string name, external;
  Shape shape;
};

/// What the launches of a kernel in one run of an entry do together.
struct Work {
  /// Multiplications and additions: a number times lengths.
  struct Term {
    double operations = 0;
    std::vector<size_t> lengths; // beyond Entry::lengths: rows seen of length
                                 // i - Entry::lengths.size()
  };
  std::string kernel;
  int64_t launches = 0;
  uint64_t weightBytes = 0;
  std::vector<Term> terms;
};

/// An entry over whole sequences, or a part of one that goes on with them.
enum class Stage { Whole, Begin, Step };

struct Entry {
  std::string name;
  Stage stage = Stage::Whole;
  std::string stageOf; // the entry over whole sequences
  std::vector<std::string> lengths;
  /// The largest value of each length, where there is one.
  std::vector<std::optional<int64_t>> limits;
  /// The smallest value of each length: 1, or what is read of it.
  std::vector<int64_t> least;
  /// Products of lengths, by their number: Program.h.
  std::vector<std::vector<size_t>> products;
  std::vector<Argument> arguments;
  std::vector<Result> results;
  /// Of the weights that a run reads all of; of tables it reads some rows.
  uint64_t weightBytes = 0;
  /// Of kernels that multiply or read weights, where the compiler can tell.
  std::vector<Work> work;
};

struct Task {
  std::string kind;                 // "embed"
  std::vector<std::string> entries; // at least one, and the program has them
  nlohmann::json options;
  /// Of a task that makes tokens: those that a sequence begins with, and those
  /// that end it. The model knows them.
  std::vector<int32_t> start, stop;
  /// Those that must come, or must not.
  TokenRules rules;
  /// Of a task whose first entry takes samples of a recording.
  std::optional<Speech> speech;

  bool makesTokens() const;
};

/// What the numbers are that are multiplied.
enum class Products { Float32, Bfloat16, Int8 };

struct Kernel {
  std::string name, schedule;
  std::string origin;    // why it has this schedule
  std::string variantOf; // the kernel that launches name, if it is another
  std::string fewOf;     // whose place it takes for few rows; may be empty
  Products products = Products::Float32;
};

/// What each sequence keeps for its later steps (Program.h).
struct Cache {
  std::string name;
  int length = -1; // index into Metadata::cacheLengths; -1: one row
  int64_t members = 1, rowNumbers = 0, rowBytes = 0;
  int64_t window = 0; // how many of the last rows are read; 0: all
};

struct Metadata {
  std::string model, compilerVersion, target;
  uint64_t weightsBytes = 0;
  /// Up to here they are read: behind that lie those of other targets.
  uint64_t weightsRead = 0;
  std::string weightsHash;
  std::vector<Entry> entries;
  std::vector<Task> tasks;
  std::vector<Kernel> kernels;
  std::vector<std::string> cacheLengths;
  std::vector<Cache> caches;
  std::vector<std::pair<std::string, std::string>> sources; // path, text
  /// Where the constants of the equations went: as a table, and as JSON.
  std::string ledger;
  nlohmann::json ledgerConstants;
  /// The text that the model's directory had; may be empty.
  std::string licence;
  std::string noChat; // why there is no chat template; may be empty

  /// Throws Error where the text is not what the compiler writes.
  static Metadata parse(std::string_view json);
  /// The task of a kind, or null.
  const Task *task(std::string_view kind) const;
  /// Index of an entry. Throws Error that lists the entries.
  size_t entry(std::string_view name) const;
  /// The part of entry `of` that is `stage`; none where it has none.
  std::optional<size_t> staged(std::string_view of, Stage stage) const;
};

/// Whether it has a row for each position of a length: [n, 384].
bool isRowForEach(const Shape &shape);
/// Elements of a shape at the given lengths. Throws Error on overflow.
int64_t elements(const Shape &shape, std::span<const int64_t> lengths);
/// How many tokens the entry can read, and how many its first result scores; 0
/// where it has none.
int64_t tokensRead(const Entry &entry);
int64_t tokensScored(const Entry &entry);
/// Throws Error where a length is shorter or longer than the entry takes.
void checkLengths(const Entry &entry, std::span<const int64_t> lengths);
/// "[n, 384]"
std::string text(const Shape &shape, const Entry &entry);

} // namespace transfold::runtime

#endif // TRANSFOLD_RUNTIME_PROGRAM_METADATA_H
