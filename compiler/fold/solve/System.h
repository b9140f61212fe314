// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A linear system over the rationals, or modulo 2, that is solved exactly and
// incrementally.
//
//   Σ exponent · log(unknown) = 0
//
// Named constants are unknowns too, but are never solved for. A solved unknown
// is then a product of powers of constants, which shows where each of them
// went. Whether two products are the same number is only decided for equations
// that contain nothing but constants.

#pragma once

#include "dialect/laws/GaugeLaw.h"

#include <optional>
#include <vector>

namespace transfold::fold {

using xf::GaugeSum;

/// The system; equations are added one by one.
class System {
public:
  /// Exponents of magnitudes are rational; those of signs are integers modulo
  /// 2.
  enum class Arithmetic { Rational, Modulo2 };

  /// Unknowns below `constants.size()` are these constants. Modulo 2 an
  /// exponent states whether the sign is flipped.
  System(std::vector<ExactScalar> constants, Arithmetic arithmetic);

  /// Adds the equation `sum` = 0. Returns false, and adds nothing, if it
  /// contradicts the equations so far.
  bool add(const GaugeSum &sum);

  /// Adds unknown = 1. Returns false if it is already determined otherwise.
  bool fix(unsigned unknown) { return add(GaugeSum(unknown)); }

  /// Whether the equations so far leave `unknown` undetermined.
  bool isFree(unsigned unknown);

  /// The unknown as a product of powers of constants and free unknowns.
  GaugeSum value(unsigned unknown);

  /// ∏ constant^exponent, without the sign, which belongs to the system modulo
  /// 2. `sum` contains constants only.
  ExactScalar product(const GaugeSum &sum) const;

private:
  /// `sum` without solved unknowns.
  GaugeSum reduce(const GaugeSum &sum);
  /// `sum` in the arithmetic of the system.
  GaugeSum settled(GaugeSum sum) const;
  /// Whether a sum of constants only is log 1, or has an even number of
  /// negative constants.
  bool isOne(const GaugeSum &sum) const;

  // Their values, by number; each is nonzero.
  std::vector<ExactScalar> constants;
  Arithmetic arithmetic;
  /// unknown = −sum; unknowns of the sum may have been solved for since.
  std::vector<std::optional<GaugeSum>> solved;
};

} // namespace transfold::fold
