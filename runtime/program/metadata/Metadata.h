// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The program's metadata, checked: what follows from the records that the
// compiler writes (Records.h).

#pragma once

#include "base/exact/Dim.h"
#include "runtime/program/metadata/Records.h"
#include "runtime/program/metadata/Speech.h"
#include "runtime/program/metadata/TokenRules.h"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace transfold::runtime::inline program {

/// One axis of a shape: one of the entry's lengths, or a fixed size.
struct Axis {
  int length = -1; // index into Entry::lengths; -1: fixed
  int64_t size = 0;
};
using Shape = std::vector<Axis>;

/// An argument of an entry.
struct Argument {
  std::string name;     // in the equations
  std::string external; // name in the interface (files, arrays)
  bool integer = true;  // int32; else float
  Shape shape;
  /// Value of the argument if the caller does not give it.
  std::optional<double> defaultValue;
  /// Integers lie in [0, bound); 0: unknown.
  int64_t bound = 0;
  /// Arguments of a step: the position of its first row (isFirst), and which of
  /// its rows are requested (isWanted).
  bool isFirst = false, isWanted = false;
};

/// A result of an entry. Its elements are float.
struct Result {
  std::string name, external;
  Shape shape;
};

/// The total work of a kernel's launches in one run of an entry.
struct Work {
  /// Multiplications and additions: a factor times the lengths.
  struct Term {
    double operations = 0;
    /// Indices into Entry::lengths; index i >= lengths.size() stands for the
    /// number of rows visible for length i - lengths.size() (the rows so far
    /// included).
    std::vector<size_t> lengths;
  };
  std::string kernel;
  /// Number of launches in one run.
  int64_t launches = 0;
  /// Bytes of weights that the launches read.
  uint64_t weightBytes = 0;
  std::vector<Term> terms;
};

/// An entry over whole sequences (Whole), or one of its parts that begin
/// (Begin) or continue (Step) sequences with caches.
enum class Stage { Whole, Begin, Step };

/// An entry of the program: a function on sequences.
struct Entry {
  std::string name;
  Stage stage = Stage::Whole;
  std::string stageOf; // name of the entry over whole sequences
  /// Names of the lengths, as ["n"].
  std::vector<std::string> lengths;
  /// For each length that follows from others, its value as an expression of
  /// them; nullopt for the others, which arguments have.
  std::vector<std::optional<Dim>> derived;
  /// The maximum of each length, if there is one.
  std::vector<std::optional<int64_t>> limits;
  /// The minimum of each length: 1, or the number of rows that the entry reads.
  std::vector<int64_t> least;
  /// Products of lengths, as indices into `lengths` (Program.h).
  std::vector<std::vector<size_t>> products;
  std::vector<Argument> arguments;
  std::vector<Result> results;
  /// Bytes of the weights of which a run reads all; of tables it reads only
  /// some rows.
  uint64_t weightBytes = 0;
  /// Work of the kernels that multiply or read weights, if the compiler can
  /// determine it.
  std::vector<Work> work;
};

/// A task, such as "embed", with the entries that implement it.
struct Task {
  std::string kind;                 // "embed"
  std::vector<std::string> entries; // at least one; all exist in the program
  nlohmann::ordered_json options;
  /// For a task that generates tokens: the tokens that a sequence begins with,
  /// and those that end it. All are valid ids of the model.
  std::vector<int32_t> start, stop;
  /// Tokens that are forced or excluded.
  TokenRules rules;
  /// For a task whose first entry takes audio samples.
  std::optional<Speech> speech;

  /// Whether the task generates tokens.
  bool makesTokens() const;
};

/// The type in which a kernel multiplies.
enum class Products { Float32, Bfloat16, Int8 };

/// A kernel, for profiles and descriptions.
struct Kernel {
  std::string name, schedule;
  std::string origin;    // why it has this schedule
  std::string variantOf; // the kernel whose launches this one replaces, if any
  /// The kernel that it replaces if there are few rows (small-M variant); may
  /// be empty.
  std::string fewOf;
  Products products = Products::Float32;
};

/// A cache: the rows that each sequence keeps for its later steps (Program.h).
struct Cache {
  std::string name;
  int length = -1; // index into Metadata::cacheLengths; -1: one row
  int64_t members = 1, rowNumbers = 0, rowBytes = 0;
  int64_t window = 0; // number of last rows that are read; 0: all
  /// One row that each step replaces: the state of a recurrence.
  bool isState = false;
};

/// All metadata of a program.
struct Metadata {
  std::string model, compilerVersion, target;
  uint64_t weightsBytes = 0;
  /// Bytes that this program reads; the weights of other targets follow.
  uint64_t weightsRead = 0;
  /// Hash of the program, which its weights file repeats; 16 hex digits.
  std::string weightsHash;
  std::vector<Entry> entries;
  std::vector<Task> tasks;
  std::vector<Kernel> kernels;
  std::vector<std::string> cacheLengths;
  std::vector<Cache> caches;
  std::vector<std::pair<std::string, std::string>> sources; // path, text
  /// What became of the equations' constants: as a table, and as JSON.
  std::string ledger;
  nlohmann::ordered_json ledgerConstants;
  /// The license text in the model's directory; may be empty.
  std::string licence;
  std::string noChat; // why there is no chat template; may be empty

  /// Throws Error if the text is not valid metadata.
  static Metadata parse(std::string_view json);
  /// The metadata of these records. Throws Error if they contradict each other.
  static Metadata of(const records::Program &program);
  /// The task of a kind, or null.
  const Task *task(std::string_view kind) const;
  /// Index of an entry. Throws Error that lists the entries.
  size_t entry(std::string_view name) const;
  /// Index of the part of entry `of` for that stage; nullopt if there is none.
  std::optional<size_t> staged(std::string_view of, Stage stage) const;
};

/// Whether a shape has one row for each position of a length, as [n, 384].
bool isRowForEach(const Shape &shape);
/// Number of elements of a shape at the given lengths. Throws Error on
/// overflow.
int64_t elements(const Shape &shape, std::span<const int64_t> lengths);
/// The number of token ids that the entry can read; 0 if it reads no tokens.
int64_t tokensRead(const Entry &entry);
/// The number of token ids that the first result of the entry scores; 0 if
/// there is no such result.
int64_t tokensScored(const Entry &entry);
/// The indices of the lengths that do not follow from others.
std::vector<size_t> ownLengths(const Entry &entry);
/// Sets the lengths that follow from others. Throws Error if one is too large.
void deriveLengths(const Entry &entry, std::span<int64_t> lengths);
/// Throws Error if a length is below or above the limits of the entry.
void checkLengths(const Entry &entry, std::span<const int64_t> lengths);
/// Whether no length is below what the entry needs; whether any is above its
/// limits is not asked.
bool areLongEnough(const Entry &entry, std::span<const int64_t> lengths);
/// The shape as text: "[n, 384]".
std::string text(const Shape &shape, const Entry &entry);

} // namespace transfold::runtime::inline program
