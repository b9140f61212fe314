// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a schema says about numbers.

#pragma once

#include "runtime/constrain/automaton/Decimal.h"
#include "runtime/constrain/schema/Conjunctions.h"

namespace transfold::runtime::inline constrain {

/// The numbers that a conjunction allows: an interval, and divisors.
class NumberRules {
public:
  /// Throws Error.
  NumberRules(const SchemaDocument &document, const Conjunction &all);

  bool admits(const SchemaJson &number) const;
  /// Whether no number satisfies both, as far as their intervals show.
  bool isDisjointFrom(const NumberRules &other) const;
  /// The texts of the integers, or of integers and fractions.
  Dfa integers(ConstraintBudget &budget) const;
  Dfa numbers(ConstraintBudget &budget) const;

private:
  DecimalRange range;
  std::vector<uint32_t> divisors;

  bool isFree() const { return !range.low && !range.high && divisors.empty(); }
  void readBounds(const SchemaDocument &document, SubschemaId id);
  void readDivisor(const SchemaDocument &document, SubschemaId id);
  void readFormat(const SchemaDocument &document, SubschemaId id);
};

} // namespace transfold::runtime::inline constrain
