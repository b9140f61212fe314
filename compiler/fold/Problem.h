// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The gauges of a module as equations: an unknown for each value, an unknown
// for each number that can absorb a factor, an equation for each law.
//
// A loop keeps its one region; a value inside has a gauge in each iteration, so
// that layers may differ. A stored tensor has one for each member, whoever
// reads it and in however many entries.

#ifndef TRANSFOLD_COMPILER_FOLD_PROBLEM_H
#define TRANSFOLD_COMPILER_FOLD_PROBLEM_H

#include "dialect/Dialect.h"

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/StringSet.h>
#include <mlir/IR/BuiltinOps.h>

#include <map>
#include <string>
#include <vector>

namespace transfold::fold {

/// What it costs to change a number, the dearest last.
enum class Price {
  Scalar,         // of a kernel
  Vector,         // f32: gains, biases, tables that are added, ε
  PowerOfTwo,     // in a matrix of 16 bits or fewer, which rounds nothing
  Matrix,         // f32
  Multiplication, // at run time
  Forbidden,      // a matrix of 16 bits or fewer, otherwise
};

/// A constant of the equations, at one place of the spec.
struct Constant {
  std::string written;
  ExactScalar value;
  mlir::Location place;
};

/// Where factors can go: a number of a kernel, a stored tensor, a
/// multiplication. It absorbs one factor for each iteration, or member.
struct Place {
  mlir::Operation *op;
  std::string name;
  Price price;
  /// Numbers that change, or are multiplied, in one iteration.
  int64_t numbers;
  /// Multiplied with in any case: costs nothing.
  bool isPresent = false;
  std::vector<unsigned> unknowns = {};
};

struct Equation {
  xf::GaugeSum sum;
  mlir::Operation *op;
};

struct ProblemOptions {
  /// Constants that stay where the equations have them, as written.
  llvm::StringSet<> keep;
  /// Numbers that no equation mentions; for tests.
  std::vector<ExactScalar> spare;
};

/// Unknowns are numbered: constants, then what absorbs, then gauges.
struct Problem {
  std::vector<Constant> constants;
  std::vector<Place> places;
  /// Place and iteration of an absorbing unknown, from `firstUnknown` on.
  std::vector<std::pair<unsigned, unsigned>> absorbers;
  std::vector<Equation> magnitudes, signs;
  /// By value and iteration.
  llvm::DenseMap<std::pair<mlir::Value, unsigned>, unsigned> gauges;
  /// In the order of their numbers, with the operation that made each value.
  std::vector<std::pair<mlir::Value, unsigned>> gaugeOrder;

  unsigned firstUnknown() const { return constants.size(); }
  std::vector<ExactScalar> values() const;
  const Place &place(unsigned absorber) const {
    return places[absorbers[absorber - firstUnknown()].first];
  }
  /// The place of this name at `op`; null where there is none.
  const Place *find(mlir::Operation *op, llvm::StringRef name) const;

  static Problem of(mlir::ModuleOp module, const ProblemOptions &options = {});

private:
  friend class Collector;
  std::map<std::pair<mlir::Operation *, std::string>, unsigned> byName;
};

/// Numbers in a value; a length counts as a sequence of ordinary size.
int64_t numbersIn(mlir::Type type);

/// The number of iterations of the loops around `op`, all together.
unsigned iterationsAround(mlir::Operation *op);

} // namespace transfold::fold

#endif // TRANSFOLD_COMPILER_FOLD_PROBLEM_H
