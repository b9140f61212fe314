// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// All polynomials are weighted minimax fits (Lawson's iteration in double), so
// that the approximation adds less than the roundings of its own evaluation.

#include "compiler/kernels/algorithm/numeric/HalideMath.h"

#include <initializer_list>
#include <vector>

using namespace Halide;

namespace transfold::kernels {

//===----------------------------------------------------------------------===//
// NaN
//
// Halide lets LLVM assume that there is no NaN unless an operation is marked as
// strict. A strict comparison has a defined result for NaN, and x86 has one
// instruction for `x < bound ? bound : x`: the larger of two floats, or the
// second operand if one is NaN.
//===----------------------------------------------------------------------===//

// Only the comparison is strict, not its operands: strict sums and products
// would not be fused.
static Expr strict(Internal::Call::IntrinsicOp comparison, const Expr &a,
                   const Expr &b) {
  return Internal::Call::make(Bool(), comparison, {a, b},
                              Internal::Call::PureIntrinsic);
}

Expr isBelow(const Expr &a, const Expr &b) {
  return strict(Internal::Call::strict_lt, a, b);
}

/// The negation of a strict comparison is true for NaN: ranks then count the
/// row, as the reference does.
Expr isNotZero(const Expr &x) {
  return !strict(Internal::Call::strict_eq, x, 0.0f);
}

Expr atLeast(const Expr &x, const Expr &bound) {
  return select(isBelow(x, bound), bound, x);
}

Expr atMost(const Expr &x, const Expr &bound) {
  return select(isBelow(bound, x), bound, x);
}

Expr isNaN(const Expr &x) {
  return (reinterpret<uint32_t>(x) & Expr(uint32_t{0x7fffffff})) >
         Expr(uint32_t{0x7f800000});
}

// The bits of positive floats, as integers, are in the order of the floats,
// those of negative ones in reverse order. Applying the function twice gives
// the bits again.
static Expr reordered(const Expr &bits) {
  return bits ^ ((bits >> 31) & Int(32).max());
}

/// NaN gets the largest integer, so that a maximum finds it wherever it is.
Expr orderOf(const Expr &x) {
  return select(isNaN(x), Int(32).max(), reordered(reinterpret<int>(x)));
}

Expr numberOf(const Expr &order) {
  return reinterpret<float>(reordered(order));
}

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

// c0 + c1 x + c2 x² + …, as a chain of fused multiply-adds.
static Expr polynomial(Expr x, std::initializer_list<float> coefficients) {
  Expr sum;
  for (const float *c = coefficients.end(); c != coefficients.begin();) {
    --c;
    sum = sum.defined() ? sum * x + *c : Expr(*c);
  }
  return sum;
}

// The same polynomial in scale · x: the coefficients are multiplied with powers
// of the scale. These are constants of the kernel, so that no entry is
// multiplied.
static Expr polynomial(Expr x, std::initializer_list<float> coefficients,
                       Expr scale) {
  std::vector<Expr> scaled;
  Expr power = 1.0f;
  for (float c : coefficients) {
    scaled.push_back(c * power);
    power = power * scale;
  }
  Expr sum = scaled.back();
  for (size_t k = scaled.size() - 1; k-- > 0;)
    sum = sum * x + scaled[k];
  return sum;
}

// 2^f on [-1/2, 1/2], relative error 9e-8; the constant term is exactly 1.
static Expr exp2Fraction(Expr f) {
  return polynomial(f, {1.0f, 0x1.62e42ap-1f, 0x1.ebf9bcp-3f, 0x1.c6b752p-5f,
                        0x1.3cea88p-7f, 0x1.5bba14p-10f});
}

// 2^x for -126 <= x <= 0. The nearest integer is computed by a truncating
// conversion: one instruction at every vector width, where round() is several.
// The power of two is added to the exponent: 2^f is in [√½, √2], the result is
// normal. For NaN the conversion yields -2^31, which adds nothing, or 0.
static Expr exp2OfNegative(Expr x) {
  Expr whole = cast<int>(x - 0.5f);
  Expr fraction = exp2Fraction(x - cast<float>(whole));
  return reinterpret<float>(reinterpret<int>(fraction) + (whole << 23));
}

Expr exp2OfNonPositive(Expr x) { return exp2OfNegative(atLeast(x, -126.0f)); }

/// 127.5 makes the truncated conversion round to nearest for all x ≥ -127.5,
/// and is the bias of the exponent at the same time.
Expr exp2OfFloat(Expr x) {
  x = atMost(atLeast(x, -126.0f), 127.0f);
  // As in expBesideOne, the power is a factor, so that NaN stays NaN.
  Expr exponent = cast<int>(x + 127.5f);
  Expr whole = cast<float>(exponent - 127);
  return exp2Fraction(x - whole) * reinterpret<float>(exponent << 23);
}

// e^x / 2^whole, with `whole` the integer nearest to log2(e) x: x = whole ln 2
// + rest, with ln 2 in two parts. The first has few enough bits that its
// product with whole is exact.
static Expr expFraction(const Expr &x, const Expr &whole) {
  Expr rest = x - whole * 0x1.62e4p-1f;
  rest = rest - whole * 0x1.7f7d1cp-20f;
  return exp2Fraction(rest * 0x1.715476p+0f);
}

// e^x for use in a sum with 1: beyond these bounds the rounded sum is 1 or the
// other term.
static Expr expBesideOne(Expr x) {
  x = atMost(atLeast(x, -87.0f), 88.0f);
  // The biased exponent of 2^whole. The power is a factor, and not an addition
  // to the exponent, which would turn NaN into a number.
  Expr exponent = cast<int>(x * 0x1.715476p+0f + 127.5f);
  return expFraction(x, cast<float>(exponent - 127)) *
         reinterpret<float>(exponent << 23);
}

Expr expOfFloat(Expr x) {
  // The result is 0 below -104 and infinite above 89. Both come from the last
  // two factors, of which there are two so that each is a normal float32 value.
  x = atMost(atLeast(x, -104.0f), 89.0f);
  Expr whole = cast<int>(x * 0x1.715476p+0f + 151.5f) - 151;
  Expr half = whole >> 1;
  return expFraction(x, cast<float>(whole)) *
         reinterpret<float>((half + 127) << 23) *
         reinterpret<float>((whole - half + 127) << 23);
}

/// The sign of the argument is a factor of the kernel, so no element is
/// negated.
Expr sigmoidOfFloat(Expr x, Expr argument, Expr factor) {
  return factor / (1.0f + expBesideOne(x * -argument));
}

Expr tanhOfFloat(Expr x, Expr argument, Expr factor) {
  // With y = argument x. Near 0 the difference below would cancel:
  // y (1 + y² P(y²)), error 4e-9.
  Expr square = x * x;
  Expr near = x * (argument * factor) *
              polynomial(square,
                         {1.0f, -0.33333284f, 0.13331491f, -0.053743497f,
                          0.020650588f, -0.0057170456f},
                         argument * argument);
  Expr a = atMost(abs(x * (2.0f * argument)), 20.0f);
  Expr far = factor - 2.0f * factor / (expBesideOne(a) + 1.0f);
  return select(a < 1.25f, near, select(x * argument < 0.0f, -far, far));
}

/// log2((1 + s) / (1 - s)) = s Q(s²) with |s| ≤ (√2 - 1) / (√2 + 1), as in the
/// series of atanh.
static Expr log2OfRatio(const Expr &s) {
  return s * polynomial(s * s, {0x1.715476p+1f, 0x1.ec70e6p-1f, 0x1.27471cp-1f,
                                0x1.ba18f8p-2f});
}

/// The float32 number y > 0 is m 2^whole with m in [√½, √2): 0x3f3504f3 are the
/// bits of √½.
static Expr wholeOfLog2(const Expr &y) {
  return (reinterpret<int>(y) - 0x3f3504f3) >> 23;
}

/// `log`, the logarithm of a normal positive y, or that of any other y. It is
/// tested by bits, since LLVM may assume that no float is NaN or infinite.
static Expr logOfAny(const Expr &y, const Expr &log) {
  constexpr int infinite = 0x7f800000, negative = 1 << 31, none = 0x7fc00000;
  Expr bits = reinterpret<int>(y);
  Expr ofSmall =
      select(isBelow(y, 0.0f), Expr(none), Expr(infinite | negative));
  Expr special =
      select((bits & Int(32).max()) >= infinite, bits, reinterpret<int>(log));
  special = select(isBelow(y, 0x1p-126f), ofSmall, special);
  return reinterpret<float>(special);
}

Expr log2OfFloat(const Expr &x, Expr argument, Expr factor) {
  Expr y = x * std::move(argument);
  Expr whole = wholeOfLog2(y);
  Expr m = reinterpret<float>(reinterpret<int>(y) - (whole << 23));
  Expr log = cast<float>(whole) + log2OfRatio((m - 1.0f) / (m + 1.0f));
  return logOfAny(y, log) * std::move(factor);
}

Expr log1pOfFloat(const Expr &x, Expr argument, Expr factor) {
  // If 1 + z is in [√½, √2), m - 1 is z, which is not rounded.
  Expr z = x * std::move(argument);
  Expr y = 1.0f + z;
  Expr whole = wholeOfLog2(y);
  Expr m = reinterpret<float>(reinterpret<int>(y) - (whole << 23));
  Expr more = select(whole == 0, z, m - 1.0f);
  Expr log = cast<float>(whole) + log2OfRatio(more / (more + 2.0f));
  return logOfAny(y, log) * (std::move(factor) * 0x1.62e43p-1f);
}

/// `atLeast` keeps a NaN of the first operand only.
Expr largerOf(Expr a, Expr b) { return select(isNaN(b), b, atLeast(a, b)); }

/// Keeps NaN, which max(x, 0) of Halide need not.
Expr reluOfFloat(Expr x) { return atLeast(x, 0.0f); }

Expr clampOfFloat(Expr x, const Expr &least, const Expr &most) {
  if (least.defined())
    x = atLeast(x, least);
  return most.defined() ? atMost(x, most) : x;
}

/// The polynomial has the argument in its coefficients, as tanh has.
Expr geluOfFloat(Expr x, Expr argument) {
  // gelu(x) = max(x, 0) - a Φ(-a) with a = |x|: the formula holds for both
  // signs, and nothing cancels. log₂ Φ(-a) is so smooth that degree 9 suffices,
  // because its error counts only where a Φ(-a) is large (at most 0.17). Beyond
  // 6 the product is below 6e-9.
  Expr a = atMost(abs(x), 6.0f / argument);
  Expr exponent = polynomial(a,
                             {-1.0f, -1.1511055f, -0.45920977f, -0.05247401f,
                              0.0069969795f, -4.6758832e-05f, -0.0002506735f,
                              6.441245e-05f, -7.801462e-06f, 3.9286945e-07f},
                             argument);
  return max(x, 0.0f) - a * exp2OfNegative(exponent);
}

Expr bfloat16Of(const Expr &x) {
  // A bfloat16 is the upper half of a float: half of its last unit is added,
  // less one bit if it is even already. A NaN whose fraction is all ones would
  // carry into the sign, so NaN keeps its upper half, made quiet.
  Expr bits = reinterpret<uint32_t>(x);
  Expr nearest = bits + (Expr(uint32_t{0x7fff}) + ((bits >> 16) & 1));
  Expr isNumber =
      (bits & Expr(uint32_t{0x7fffffff})) <= Expr(uint32_t{0x7f800000});
  bits = select(isNumber, nearest, bits | Expr(uint32_t{0x400000}));
  return cast<uint16_t>(bits >> 16);
}

Expr widenedBfloat16(const Expr &bits) {
  return reinterpret<float>(cast<uint32_t>(bits) << 16);
}

// With integer operations: a processor's conversion instruction takes some 200
// cycles for a subnormal value (measured on Zen 3), small scales are often
// subnormal, and a GPU may lack the instruction. With fraction m and exponent
// e,
//
//   u = 2^-14 (1 + m)         value = 2^-14 m             = u - 2^-14    e = 0
//   u = 2^(e - 14) (1 + m)    value = 2^(e - 15) (1 + m)  = u - u / 2    e > 0
//
// so value = u - max(u / 2, 2^-14), exactly, and no intermediate value is below
// 2^-126, which a device may flush to 0. An exponent of 31 is treated like the
// others.
Expr finiteFloat16(const Expr &word) {
  constexpr uint32_t exponent = uint32_t{1} << 23; // one more or less
  Expr fields = (word << Expr(uint32_t{13})) & Expr(uint32_t{0x0fffe000});
  Expr u = fields + Expr(113 * exponent);
  Expr half = max(fields + Expr(112 * exponent), Expr(113 * exponent));
  Expr size = reinterpret<float>(u) - reinterpret<float>(half);
  Expr sign = (word << Expr(uint32_t{16})) & Expr(uint32_t{0x80000000});
  return reinterpret<float>(reinterpret<uint32_t>(size) | sign);
}

Expr widenedFloat16(const Expr &bits) {
  Expr word = cast<uint32_t>(bits);
  // If all bits of the exponent are set, the value is infinite or, with a
  // fraction, NaN.
  Expr special = (word << Expr(uint32_t{13})) | Expr(uint32_t{0x7f800000});
  Expr sign = (word << Expr(uint32_t{16})) & Expr(uint32_t{0x80000000});
  Expr isSpecial = (word & Expr(uint32_t{0x7c00})) == Expr(uint32_t{0x7c00});
  Expr number = reinterpret<uint32_t>(finiteFloat16(word));
  return reinterpret<float>(
      select(isSpecial, (special & Expr(uint32_t{0x7fffffff})) | sign, number));
}

Expr roundedToFloat16(const Expr &x) {
  // By bits, since Halide removes a cast to float16 and back. Values from 2^-14
  // on lose 13 bits of their fraction, smaller ones everything below 2^-24;
  // ties go to even. Values of at least 65520 become infinite.
  Expr bits = reinterpret<uint32_t>(x);
  Expr sign = bits & Expr(uint32_t{0x80000000});
  Expr size = bits & Expr(uint32_t{0x7fffffff});
  Expr nearest = (size + (Expr(uint32_t{0xfff}) + ((size >> 13) & 1))) &
                 ~Expr(uint32_t{0x1fff});
  nearest = select(nearest >= Expr(uint32_t{0x47800000}),
                   Expr(uint32_t{0x7f800000}), nearest);
  // Rounds to a multiple of 2^-24: the sum with 1/2 has no finer bits.
  Expr half = Expr(0.5f);
  Expr small = reinterpret<uint32_t>(
      strict_float((reinterpret<float>(size) + half) - half));
  Expr isSmall = size < Expr(uint32_t{0x38800000});
  Expr isNumber = size <= Expr(uint32_t{0x7f800000});
  return reinterpret<float>(
      select(isNumber, select(isSmall, small, nearest) | sign, bits));
}

/// Integer exponents by repeated squaring, 1/2 by sqrt.
Expr powerOf(const Expr &x, double exponent) {
  if (exponent < 0)
    return 1.0f / powerOf(x, -exponent);
  if (exponent == 0.5)
    return sqrt(x);
  if (exponent == 0)
    return 1.0f;
  // Integer exponents by multiplications; others by the C library, in double.
  constexpr int most = 64;
  int whole = static_cast<int>(std::min<double>(exponent, most));
  if (whole != exponent)
    return cast<float>(pow(cast<double>(x), Expr(exponent)));
  if (whole == 1)
    return x;
  Expr half = powerOf(x, whole / 2);
  return whole % 2 ? half * half * x : half * half;
}

} // namespace transfold::kernels
