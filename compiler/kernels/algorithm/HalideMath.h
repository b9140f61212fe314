// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions of the equations as vector code: polynomials with the error that
// float itself has, no calls of a math library and no tables. Of NaN all of
// them make NaN.

#ifndef TRANSFOLD_COMPILER_KERNELS_ALGORITHM_HALIDEMATH_H
#define TRANSFOLD_COMPILER_KERNELS_ALGORITHM_HALIDEMATH_H

#include <Halide.h>

namespace transfold::kernels {

/// The larger and the smaller of x and a bound that is a number: x where x is
/// NaN. Halide's own min and max say nothing about that.
Halide::Expr atLeast(const Halide::Expr &x, const Halide::Expr &bound);
Halide::Expr atMost(const Halide::Expr &x, const Halide::Expr &bound);
/// An integer that is as large among those of numbers as x is among numbers;
/// NaN has the largest. And what number it is of.
Halide::Expr orderOf(const Halide::Expr &x);
Halide::Expr numberOf(const Halide::Expr &order);
/// From the bits of x: LLVM believes that what was computed is no NaN.
Halide::Expr isNaN(const Halide::Expr &x);
/// What is false where one of the two is NaN.
Halide::Expr isBelow(const Halide::Expr &a, const Halide::Expr &b);
/// Also true for NaN.
Halide::Expr isNotZero(const Halide::Expr &x);

/// 2^x for x <= 0, as a softmax needs it; 2^-126 below -126. Relative error
/// 1.7e-7, and exact at integers.
Halide::Expr exp2OfNonPositive(Halide::Expr x);

/// 2^x; x is clamped to [-126, 127]. Relative error 1.7e-7.
Halide::Expr exp2OfFloat(Halide::Expr x);

/// e^x, down to 0 and up to infinity. Relative error 4e-7 where that is normal.
Halide::Expr expOfFloat(Halide::Expr x);

/// factor log2(argument x): minus infinity of 0, and of what is smaller than
/// normal numbers; NaN of less. Relative error 3e-7.
Halide::Expr log2OfFloat(const Halide::Expr &x, Halide::Expr argument = 1.0f,
                         Halide::Expr factor = 1.0f);

/// The larger of two numbers; NaN where one is NaN.
Halide::Expr largerOf(Halide::Expr a, Halide::Expr b);
/// max(x, 0).
Halide::Expr reluOfFloat(Halide::Expr x);
/// A bound that is not defined is none.
Halide::Expr clampOfFloat(Halide::Expr x, const Halide::Expr &least,
                          const Halide::Expr &most);

/// factor / (1 + e^-(argument x)). Relative error 3e-7.
Halide::Expr sigmoidOfFloat(Halide::Expr x, Halide::Expr argument = 1.0f,
                            Halide::Expr factor = 1.0f);

/// factor tanh(argument x). Relative error 3e-7.
Halide::Expr tanhOfFloat(Halide::Expr x, Halide::Expr argument = 1.0f,
                         Halide::Expr factor = 1.0f);

/// x (1 + erf(argument x / √2)) / 2, argument > 0. Error 7.5e-8 max(1, |x|),
/// and 1.7e-7 beside the result for x > 0.
Halide::Expr geluOfFloat(Halide::Expr x, Halide::Expr argument = 1.0f);

/// The bits of the bfloat16 that is nearest to x, the even one of two; what is
/// no number stays that.
Halide::Expr bfloat16Of(const Halide::Expr &x);
/// The float with such bits as its upper half.
Halide::Expr widenedBfloat16(const Halide::Expr &bits);
/// The float16 whose bits are the lower half of a word, by integers and one
/// subtraction, exactly. One that is infinite or NaN becomes a large number.
Halide::Expr finiteFloat16(const Halide::Expr &word);
/// The float16 with such bits, of 16; what is infinite or NaN stays that.
Halide::Expr widenedFloat16(const Halide::Expr &bits);
/// x ^ exponent, of floats.
Halide::Expr powerOf(const Halide::Expr &x, double exponent);
/// The nearest number that a float16 is; NaN stays.
Halide::Expr roundedToFloat16(const Halide::Expr &x);

} // namespace transfold::kernels

#endif // TRANSFOLD_COMPILER_KERNELS_ALGORITHM_HALIDEMATH_H
