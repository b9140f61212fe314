// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A linear system over the rationals, or modulo 2, solved exactly, equation by
// equation.
//
//   Σ exponent · log(unknown) = 0
//
// Named constants are unknowns like the others, except that nothing is solved
// for them. What is left of an unknown is then a product of powers of
// constants: where each of them went. That two products are the same number is
// asked only where an equation has nothing but constants.

#ifndef TRANSFOLD_COMPILER_FOLD_SYSTEM_H
#define TRANSFOLD_COMPILER_FOLD_SYSTEM_H

#include "dialect/laws/GaugeLaw.h"

#include <optional>
#include <vector>

namespace transfold::fold {

using xf::GaugeSum;

class System {
public:
  enum class Arithmetic { Rational, Modulo2 };

  /// Unknowns below `constants.size()` stand for these numbers. Modulo 2 an
  /// exponent says whether the sign is flipped.
  System(std::vector<ExactScalar> constants, Arithmetic arithmetic);

  /// Adds `sum` = 0. False where that contradicts the equations so far; nothing
  /// is added then.
  bool add(const GaugeSum &sum);

  /// Adds unknown = 1. False where it is determined otherwise.
  bool fix(unsigned unknown) { return add(GaugeSum(unknown)); }

  /// Whether the equations so far leave `unknown` a choice.
  bool isFree(unsigned unknown);

  /// The unknown as powers of constants and of unknowns that are free.
  GaugeSum value(unsigned unknown);

  /// ∏ constant^exponent; the sign belongs to the system modulo 2. `sum` has
  /// constants only.
  ExactScalar product(const GaugeSum &sum) const;

private:
  GaugeSum reduce(const GaugeSum &sum);
  GaugeSum settled(GaugeSum sum) const;
  bool isOne(const GaugeSum &sum) const;

  std::vector<ExactScalar> constants;
  Arithmetic arithmetic;
  /// unknown = −sum; unknowns of the sum may have been solved for since.
  std::vector<std::optional<GaugeSum>> solved;
};

} // namespace transfold::fold

#endif // TRANSFOLD_COMPILER_FOLD_SYSTEM_H
