// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Decimal numbers as they are written in JSON, compared digit by digit: bounds
// of numbers become automata without rounding.

#pragma once

#include "runtime/constrain/automaton/Dfa.h"

#include <compare>
#include <optional>

namespace transfold::runtime::inline constrain {

/// A decimal number: digits without zeros that could be left out.
struct Decimal {
  bool isNegative = false; // never for 0
  std::string integer = "0", fraction = "";

  static Decimal of(int64_t value);
  static Decimal of(uint64_t value);
  /// The shortest number that is rounded to `value`, which must be finite.
  static Decimal of(double value);

  bool isInteger() const { return fraction.empty(); }
  bool isZero() const { return integer == "0" && fraction.empty(); }
  Decimal negated() const;
  std::strong_ordering operator<=>(const Decimal &other) const;
  bool operator==(const Decimal &other) const = default;

private:
  static Decimal parse(std::string text);
};

/// The interval of numbers that are admitted.
struct DecimalRange {
  struct Bound {
    Decimal value;
    bool isExclusive;
  };
  std::optional<Bound> low, high;

  bool has(const Decimal &value) const;
  /// Whether no number is in it.
  bool isEmpty() const;
  /// Keeps only what is also above `low`, or below `high`.
  void raise(const Bound &bound);
  void lower(const Bound &bound);
};

/// Integers of a range as JSON writes them, of at most 18 digits unless the
/// bounds have more.
Dfa integersIn(const DecimalRange &range, ConstraintBudget &budget);
/// Numbers of a range with digits after the point, without an exponent, of at
/// most 15 characters: no two of them are the same number in float64.
Dfa fractionsIn(const DecimalRange &range, ConstraintBudget &budget);
/// Integers that are divisible by `divisor`.
Dfa multiplesOf(uint32_t divisor, ConstraintBudget &budget);

} // namespace transfold::runtime::inline constrain
