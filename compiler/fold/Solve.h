// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Of all gauges that satisfy the equations of a module (Problem.h), those that
// leave the fewest multiplications in the program.

#ifndef TRANSFOLD_COMPILER_FOLD_SOLVE_H
#define TRANSFOLD_COMPILER_FOLD_SOLVE_H

#include "compiler/fold/Problem.h"
#include "compiler/fold/System.h"

namespace transfold::fold {

/// What each place absorbs.
struct Solution {
  /// Of each absorbing unknown in order: powers of constants, and their product
  /// with its sign.
  std::vector<GaugeSum> exponents;
  std::vector<ExactScalar> factors;
  /// Operations at which the gauge of some value has a constant in it, for each
  /// constant.
  std::vector<unsigned> readers;
  /// Gauges of what layers yield, by value and iteration.
  llvm::DenseMap<std::pair<mlir::Value, unsigned>, ExactScalar> yielded;

  const ExactScalar &factor(const Problem &problem, unsigned unknown) const {
    return factors[unknown - problem.firstUnknown()];
  }
};

struct SolveOptions {
  /// Factors other than powers of two go into matrices of 16 bits, and are
  /// rounded to these.
  bool intoLowPrecision = false;
};

Solution solve(const Problem &problem, const SolveOptions &options = {});

/// Constants, as written, in factors that are so large or small that numbers
/// multiplied with them may leave the range of float32. What is multiplied at
/// run time does so in any case.
llvm::StringSet<> farConstants(const Problem &problem,
                               const Solution &solution);

/// The laws of `problem`, before anything is fixed.
System lawsOf(const Problem &problem, System::Arithmetic arithmetic);

/// The solution of two systems that leave nothing free.
Solution solutionOf(const Problem &problem, System &magnitudes, System *signs);

/// The operation whose law forbids that no multiplication is left: the first in
/// the order of the program. Null where none forbids it.
mlir::Operation *objectionTo(const Problem &problem);

} // namespace transfold::fold

#endif // TRANSFOLD_COMPILER_FOLD_SOLVE_H
