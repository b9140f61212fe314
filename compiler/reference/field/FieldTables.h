// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Definitions by index over residues.

#pragma once

#include "compiler/reference/Numbers.h"

namespace transfold::reference {

/// The part of FieldNumbers that tables need in addition to Numbers.
class TableFunctions {
public:
  virtual ~TableFunctions() = default;
  /// The integer of less than 30 bits that a residue is. A random residue is
  /// one with a probability of 2^-30.
  virtual std::optional<int64_t> integerOf(double x) const = 0;
  /// A constant, which need not be positive unless its root is taken.
  virtual double constant(const ExactScalar &value) const = 0;
  /// A random function of one or two numbers, another one for each operation.
  virtual double random(ScalarOp op, double x, double y) const = 0;
};

/// An element of a table. Operations on integers whose result is an integer are
/// those of integers, so that indices, comparisons, `div` and `mod` mean what
/// they mean over doubles; all others are those of residues. `isReal`: the
/// result is a residue, otherwise it is a double that is an integer.
double tableElement(const Numbers &numbers, const TableFunctions &functions,
                    const IndexExpr &expr, std::span<const int64_t> indices,
                    const TableReader &reader, bool isReal);

} // namespace transfold::reference
