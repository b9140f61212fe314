// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Taylor series, long enough that the omitted terms are below 2^-53: the
// results are rounded to float, so that the last bits of a double do not
// matter.

#include "compiler/kernels/build/halide/DoubleFunctions.h"

#include <bit>
#include <string>

using namespace Halide;
using Internal::Call;

namespace transfold::kernels {

/// Σ_k x^k / of(k) over `terms` terms, from k = 0 on, by Horner's rule.
template <typename Divisor>
static Expr series(const Expr &x, int terms, Divisor of) {
  Expr sum = Expr(1.0 / of(terms - 1));
  for (int k = terms - 2; k >= 0; --k)
    sum = sum * x + Expr(1.0 / of(k));
  return sum;
}

/// The largest integer that is at most x, for |x| < 2^63.
static Expr floored(const Expr &x) {
  Expr cut = cast<double>(cast<int64_t>(x));
  return select(cut > x, cut - Expr(1.0), cut);
}

/// A value that is not a finite number, by its bits: SPIR-V as Halide writes it
/// has no literals for these.
static Expr infinity() {
  return reinterpret<double>(Expr(uint64_t{0x7ff} << 52));
}
/// A quiet NaN.
static Expr notANumber() {
  return reinterpret<double>(Expr(uint64_t{0xfff} << 51));
}

/// The compiler evaluates this; the kernel has the reciprocals as constants.
static double factorial(int n) { return n < 2 ? 1.0 : n * factorial(n - 1); }

/// cos(x - turns π / 2). With r = x - quarters π/2 in [-π/4, π/4] it is ± cos r
/// or ± sin r. π/2 is the sum of three doubles, of which the first two have 33
/// bits: their products with a number of quarters below 2^20 are exact. Beyond
/// that, an angle of about a million, the result slowly loses bits.
static Expr cosine(const Expr &x, int turns) {
  Expr quarters = floored(x * Expr(0x1.45f306dc9c883p-1) + Expr(0.5)); // 2/π
  Expr r = x - quarters * Expr(0x1.921fb544p+0) -
           quarters * Expr(0x1.0b4611a6p-34) -
           quarters * Expr(0x1.3198a2e037073p-69);
  Expr square = -(r * r);
  // The first omitted terms are (π/4)^18 / 18! = 2e-18 and (π/4)^19 / 19! =
  // 8e-20.
  Expr cosOfRest = series(square, 9, [](int k) { return factorial(2 * k); }),
       sinOfRest =
           r * series(square, 9, [](int k) { return factorial(2 * k + 1); });
  Expr quadrant = (cast<int>(quarters) - turns) & 3;
  Expr part = select((quadrant & 1) == 1, sinOfRest, cosOfRest);
  return select(quadrant == 1 || quadrant == 2, -part, part);
}

/// e^x = 2^whole e^r, |r| <= ln 2 / 2; (ln 2 / 2)^14 / 14! = 4e-18. Results
/// below the normal numbers are 0.
static Expr exponential(const Expr &x) {
  Expr bounded = min(max(x, Expr(-1000.0)), Expr(1000.0));
  Expr whole =
      floored(bounded * Expr(0x1.71547652b82fep+0) + Expr(0.5)); // 1 / ln 2
  Expr r = bounded - whole * Expr(0x1.62e42feep-1) -
           whole * Expr(0x1.a39ef35793c76p-33);
  Expr power = cast<int64_t>(min(max(whole, Expr(-1022.0)), Expr(1023.0)));
  Expr scaled =
      series(r, 14, factorial) *
      reinterpret<double>((power + Expr(int64_t{1023})) << Expr(int64_t{52}));
  Expr large = whole > Expr(1023.0), small = whole < Expr(-1022.0);
  return select(large, infinity(), select(small, Expr(0.0), scaled));
}

/// ln x = whole ln 2 + 2 atanh s, s = (m - 1) / (m + 1), where x = m 2^whole
/// with m in [√½, √2): |s| <= 0.172, and s^23 / 23 = 1e-19. -∞ at 0, NaN below.
static Expr logarithm(const Expr &x) {
  // Unsigned, since SPIR-V as Halide writes it shifts zeros into negative
  // integers of 64 bits. The bits of √½ are subtracted, and 2^63 is added.
  const uint64_t top = uint64_t{1} << 63, rootOfHalf = 0x3fe6a09e667f3bcd;
  Expr bits = reinterpret<uint64_t>(x);
  Expr raised = (bits + Expr(top - rootOfHalf)) >> Expr(uint64_t{52});
  Expr m =
      reinterpret<double>(bits - ((raised << Expr(uint64_t{52})) - Expr(top)));
  Expr whole = cast<double>(cast<int>(raised)) - Expr(2048.0);
  Expr s = (m - Expr(1.0)) / (m + Expr(1.0));
  Expr half = s * series(s * s, 11, [](int k) { return 2.0 * k + 1.0; });
  return select(x > Expr(0.0),
                whole * Expr(0x1.62e42fefa39efp-1) + half * Expr(2.0),
                select(x == Expr(0.0), -infinity(), notANumber()));
}

/// x^exponent; a negative x requires an integer exponent.
static Expr power(const Expr &x, const Expr &exponent) {
  Expr size = exponential(exponent * logarithm(select(x < Expr(0.0), -x, x)));
  Expr half = exponent * Expr(0.5);
  Expr isOdd = half != floored(half);
  Expr ofZero = select(exponent == Expr(0.0), Expr(1.0),
                       select(exponent < Expr(0.0), infinity(), Expr(0.0)));
  return select(x == Expr(0.0), ofZero,
                select(x < Expr(0.0) && isOdd, -size, size));
}

/// The replacement of function `name`; undefined for other functions.
static Expr computed(const std::string &name, const std::vector<Expr> &x) {
  if (name == "floor_f64")
    return floored(x[0]);
  if (name == "ceil_f64")
    return -floored(-x[0]);
  if (name == "cos_f64")
    return cosine(x[0], 0);
  if (name == "sin_f64")
    return cosine(x[0], 1);
  if (name == "exp_f64")
    return exponential(x[0]);
  if (name == "log_f64")
    return logarithm(x[0]);
  if (name == "log2")
    return logarithm(x[0]) * Expr(0x1.71547652b82fep+0);
  if (name == "pow_f64")
    return power(x[0], x[1]);
  return {};
}

Expr DoubleFunctions::visit(const Call *call) {
  if (call->call_type == Call::PureExtern && call->type == Float(64))
    if (Expr replaced = computed(call->name, call->args); replaced.defined())
      return mutate(replaced); // its operands and its constants
  return IRMutator::visit(call);
}

Expr DoubleFunctions::visit(const Internal::FloatImm *number) {
  const double value = number->value;
  if (number->type.bits() != 64 || value == static_cast<float>(value))
    return number;
  return reinterpret<double>(Expr(std::bit_cast<uint64_t>(value)));
}

} // namespace transfold::kernels
