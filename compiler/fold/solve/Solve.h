// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Solves the equations of a module (Problem.h): among all gauges that satisfy
// them, those that leave the fewest multiplications in the program.

#pragma once

#include "compiler/fold/solve/Problem.h"
#include "compiler/fold/solve/System.h"

namespace transfold::fold {

/// The factors that the places absorb.
struct Solution {
  /// For each absorbing unknown, in order: the powers of constants, and their
  /// product with its sign.
  std::vector<GaugeSum> exponents;
  std::vector<ExactScalar> factors;
  /// For each constant, the number of operations whose result's gauge contains
  /// it.
  std::vector<unsigned> readers;
  /// The gauges of values that layers yield, by value and iteration.
  llvm::DenseMap<std::pair<mlir::Value, unsigned>, ExactScalar> yielded;

  /// The factor of an absorbing unknown.
  const ExactScalar &factor(const Problem &problem, unsigned unknown) const {
    return factors[unknown - problem.firstUnknown()];
  }
};

/// Options of `solve`.
struct SolveOptions {
  /// Whether matrices of 16 bits absorb factors other than powers of two, and
  /// are rounded again.
  bool intoLowPrecision = false;
};

/// Solves the equations of `problem`.
Solution solve(const Problem &problem, const SolveOptions &options = {});

/// The constants, as written, in factors so large or small that products with
/// them may leave the range of float32. Multiplications at run time are not
/// considered, since they occur in any case.
llvm::StringSet<> farConstants(const Problem &problem,
                               const Solution &solution);

/// The system of the laws of `problem`, before any unknown is fixed.
System lawsOf(const Problem &problem, System::Arithmetic arithmetic);

/// The solution of two systems without free unknowns.
Solution solutionOf(const Problem &problem, System &magnitudes, System *signs);

/// The first operation, in program order, whose law rules out a program without
/// multiplications; null if none does.
mlir::Operation *objectionTo(const Problem &problem);

} // namespace transfold::fold
