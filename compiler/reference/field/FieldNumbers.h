// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Equations over residues modulo a prime (PrimeField.h): two sets of equations
// that are equal by the laws that folding uses have equal results there,
// without a tolerance, and sets that are not equal have different results but
// for an accident of about 2^-60 (Schwartz 1980, Zippel 1979; for functions
// other than polynomials as in Mirage, Wu et al. 2024).
//
//   * An element of a weight is a random residue, the same for each read of it.
//   * +, -, ·, / and integer powers are those of the field; √ and other
//   rational
//     powers are those of its positive numbers. Therefore √(c² x) = c √x for
//     positive c: what norms need.
//   * max(x, 0) is x where x is positive, so max(c x, 0) = c max(x, 0), and
//     comparisons look at the sign of the difference.
//   * exp2, tanh, log2 and the other functions are random functions of their
//     argument that keep its symmetry: tanh(-x) = -tanh(x), σ(-x) = 1 - σ(x),
//     2^0 = 1. e^x is 2^(x log2(e)), where log2(e) is a random positive number.
//     A softmax subtracts its first score, since any shift cancels out.
//   * ∞ and -∞, which mask scores and bound intervals, are kept as they are:
//     they stay infinite in sums and products, and e^-∞ is 0.
//   * Rounding has no counterpart and is an error.
//
// A residue is below 2^61, so as the bits of a double it is an ordinary number,
// which copies keep.

#pragma once

#include "compiler/reference/Interpreter.h"
#include "compiler/reference/Numbers.h"
#include "compiler/reference/field/PrimeField.h"

#include <memory>

namespace transfold::reference {

/// A constant above 0 that is not a positive residue, so that it has no roots
/// and is not the root of its square; modulo another prime it may be.
class NotPositive : public InterpreterError {
public:
  using InterpreterError::InterpreterError;
};

/// The residue that a number of FieldNumbers is.
uint64_t residueOf(double number);

/// Numbers modulo `prime`, one of safePrimes(); `seed` determines weights and
/// functions. exact() throws NotPositive.
std::unique_ptr<const Numbers> fieldNumbers(uint64_t prime, uint64_t seed);

} // namespace transfold::reference
