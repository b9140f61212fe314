// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The gauges of a module as a system of equations: an unknown for each value,
// an unknown for each parameter that can absorb a factor, an equation for each
// law.
//
// A loop keeps its single region; a value inside has a gauge in each iteration,
// so that layers may differ. A stored tensor has one absorbing unknown for each
// member, whichever operations and entries read it.

#pragma once

#include "dialect/Dialect.h"

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/StringSet.h>
#include <mlir/IR/BuiltinOps.h>

#include <map>
#include <string>
#include <vector>

namespace transfold::fold {

/// The cost classes of changing a parameter, the most expensive last.
enum class Price {
  Scalar,         // a scalar operand of a kernel
  Vector,         // f32: gains, biases, tables that are added, ε
  PowerOfTwo,     // by 2^k, in a matrix of 16 bits or fewer: no rounding
  Matrix,         // f32
  Multiplication, // at run time
  Forbidden,      // by other factors, in a matrix of 16 bits or fewer
};

/// A constant of the equations, at one location of the spec.
struct Constant {
  std::string written;
  ExactScalar value;
  // Two uses of the same constant at one location, such as in all layers, are
  // one.
  mlir::Location place;
};

/// A place that can absorb factors: a scalar of a kernel, a stored tensor, or a
/// multiplication. It absorbs one factor for each iteration or member.
struct Place {
  // The operation or the stored weight, and its name for the ledger.
  mlir::Operation *op;
  std::string name;
  Price price;
  /// The number of elements that change, or are multiplied, in one iteration.
  int64_t numbers;
  /// Whether the multiplication exists in any case, so that a factor is free.
  bool isPresent = false;
  std::vector<unsigned> unknowns = {};
};

/// The equation log `sum` = 0, stated by the law of `op`.
struct Equation {
  xf::GaugeSum sum;
  mlir::Operation *op;
};

/// Options for the collection of equations.
struct ProblemOptions {
  /// Constants that stay where the equations have them, as written there.
  llvm::StringSet<> keep;
  /// Constants that no equation mentions; for tests.
  std::vector<ExactScalar> spare;
};

/// The equations. Unknowns are numbered: constants, then absorbers, then
/// gauges.
struct Problem {
  std::vector<Constant> constants;
  std::vector<Place> places;
  /// Place and iteration of an absorbing unknown, from `firstUnknown` on.
  std::vector<std::pair<unsigned, unsigned>> absorbers;
  std::vector<Equation> magnitudes, signs;
  /// The unknown of each gauge, by value and iteration.
  llvm::DenseMap<std::pair<mlir::Value, unsigned>, unsigned> gauges;
  /// The values and iterations of gauges in the order of their unknowns.
  std::vector<std::pair<mlir::Value, unsigned>> gaugeOrder;

  /// The first unknown that is not a constant.
  unsigned firstUnknown() const { return constants.size(); }
  /// The values of the constants.
  std::vector<ExactScalar> values() const;
  /// The place of an absorbing unknown.
  const Place &place(unsigned absorber) const {
    return places[absorbers[absorber - firstUnknown()].first];
  }
  /// The place of this name at `op`; null if there is none.
  const Place *find(mlir::Operation *op, llvm::StringRef name) const;

  /// Collects the equations of `module`.
  static Problem of(mlir::ModuleOp module, const ProblemOptions &options = {});

private:
  friend class Collector;
  std::map<std::pair<mlir::Operation *, std::string>, unsigned> byName;
};

/// The number of elements of a value; a length counts as one of typical size
/// (128).
int64_t numbersIn(mlir::Type type);

/// The product of the trip counts of the loops around `op`.
unsigned iterationsAround(mlir::Operation *op);

} // namespace transfold::fold
