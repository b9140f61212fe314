// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The functions of the equations as vector code: polynomials whose error is
// that of float itself, without calls of a math library and without tables.
// Each of them returns NaN for NaN.

#pragma once

#include <Halide.h>

namespace transfold::kernels {

/// The larger of x and a bound that is not NaN; x if x is NaN. Halide's own max
/// does not define the result for NaN.
Halide::Expr atLeast(const Halide::Expr &x, const Halide::Expr &bound);
/// The smaller of x and a bound that is not NaN; x if x is NaN.
Halide::Expr atMost(const Halide::Expr &x, const Halide::Expr &bound);
/// An integer for the float x, such that integers have the order of the floats;
/// NaN has the largest integer.
Halide::Expr orderOf(const Halide::Expr &x);
/// The float with this integer: the inverse of orderOf.
Halide::Expr numberOf(const Halide::Expr &order);
/// Tests the bits of x, because LLVM assumes that a computed float is not NaN.
Halide::Expr isNaN(const Halide::Expr &x);
/// Whether a < b; false if one of the two is NaN.
Halide::Expr isBelow(const Halide::Expr &a, const Halide::Expr &b);
/// Whether x is not 0; also true for NaN.
Halide::Expr isNotZero(const Halide::Expr &x);

/// 2^x for x <= 0, as a softmax needs it; 2^-126 below -126. Relative error
/// 1.7e-7, and exact at integers.
Halide::Expr exp2OfNonPositive(Halide::Expr x);

/// 2^x; x is clamped to [-126, 127]. Relative error 1.7e-7.
Halide::Expr exp2OfFloat(Halide::Expr x);

/// e^x, down to 0 and up to infinity. Relative error 4e-7 where the result is a
/// normal number.
Halide::Expr expOfFloat(Halide::Expr x);

/// factor log2(argument x): minus infinity for 0 and for positive values below
/// the normal ones, NaN for negative values. Relative error 3e-7.
Halide::Expr log2OfFloat(const Halide::Expr &x, Halide::Expr argument = 1.0f,
                         Halide::Expr factor = 1.0f);

/// factor ln(1 + argument x), also where 1 + argument x rounds to 1: minus
/// infinity for -1 and NaN below. Relative error 4e-7 above -0.29, and of
/// 1 + argument x rounded to float32 below.
Halide::Expr log1pOfFloat(const Halide::Expr &x, Halide::Expr argument = 1.0f,
                          Halide::Expr factor = 1.0f);

/// The larger of two floats; NaN if one of them is NaN.
Halide::Expr largerOf(Halide::Expr a, Halide::Expr b);
/// max(x, 0).
Halide::Expr reluOfFloat(Halide::Expr x);
/// x clamped to [least, most]; an undefined bound does not limit x.
Halide::Expr clampOfFloat(Halide::Expr x, const Halide::Expr &least,
                          const Halide::Expr &most);

/// factor / (1 + e^-(argument x)). Relative error 3e-7.
Halide::Expr sigmoidOfFloat(Halide::Expr x, Halide::Expr argument = 1.0f,
                            Halide::Expr factor = 1.0f);

/// factor tanh(argument x). Relative error 3e-7.
Halide::Expr tanhOfFloat(Halide::Expr x, Halide::Expr argument = 1.0f,
                         Halide::Expr factor = 1.0f);

/// x (1 + erf(argument x / √2)) / 2, argument > 0. Error 7.5e-8 max(1, |x|),
/// and 1.7e-7 relative to the result for x > 0.
Halide::Expr geluOfFloat(Halide::Expr x, Halide::Expr argument = 1.0f);

/// The bits of the bfloat16 that is nearest to x, ties to even; NaN stays NaN.
Halide::Expr bfloat16Of(const Halide::Expr &x);
/// The float whose upper half is `bits`.
Halide::Expr widenedBfloat16(const Halide::Expr &bits);
/// The float16 whose bits are the lower half of `word`, computed exactly with
/// integer operations and one subtraction. Infinity and NaN become large finite
/// values.
Halide::Expr finiteFloat16(const Halide::Expr &word);
/// The float16 with the 16 bits `bits`, as a float; infinity and NaN are kept.
Halide::Expr widenedFloat16(const Halide::Expr &bits);
/// x ^ exponent for floats x.
Halide::Expr powerOf(const Halide::Expr &x, double exponent);
/// x rounded to the nearest float16 value; NaN is kept.
Halide::Expr roundedToFloat16(const Halide::Expr &x);

} // namespace transfold::kernels
