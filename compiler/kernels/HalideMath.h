// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions of the equations as vector code: polynomials with the error that
// float itself has, no calls of a math library and no tables.

#ifndef TRANSFOLD_COMPILER_KERNELS_HALIDEMATH_H
#define TRANSFOLD_COMPILER_KERNELS_HALIDEMATH_H

#include <Halide.h>

namespace transfold::kernels {

/// 2^x for x <= 0, as a softmax needs it; 2^-126 below -126. Relative error
/// 1.7e-7, and exact at integers.
Halide::Expr exp2OfNonPositive(Halide::Expr x);

/// e^x; x is clamped to [-87, 88]. Relative error 4e-7.
Halide::Expr expOfFloat(Halide::Expr x);

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

} // namespace transfold::kernels

#endif // TRANSFOLD_COMPILER_KERNELS_HALIDEMATH_H
