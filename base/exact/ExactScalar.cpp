// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arithmetic of exact scalars. Bases are kept coprime by gcd alone, without
// prime factorization: gcd(15, 21) = 3 splits 15 · 21 into 5 · 3² · 7. The same
// number may therefore have several factor lists (15, or 3 · 5); comparison and
// hashing use the form |x|^D = p/q, which is unique.

#include "base/exact/ExactScalar.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/Support/raw_ostream.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <stdexcept>

namespace transfold {

using Integer = ExactScalar::Integer;
using Factor = ExactScalar::Factor;

//===----------------------------------------------------------------------===//
// Integers
//===----------------------------------------------------------------------===//

/// base^exponent by repeated squaring, for exponent ≥ 0. The last square is not
/// computed: it would double the size of the largest integer for nothing.
static Integer integerPower(const Integer &base, int64_t exponent) {
  Integer result(1), square = base;
  for (; exponent; exponent >>= 1) {
    if (exponent & 1)
      result = result * square;
    if (exponent > 1)
      square = square * square;
  }
  return result;
}

/// The digits of `x`, with a minus sign if it is negative.
static std::string decimalText(const Integer &x) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  x.print(stream);
  return text;
}

/// The value of a text that consists of decimal digits only, of any length.
static Integer parseInteger(std::string_view digits) {
  Integer value(0);
  for (char digit : digits)
    value = value * 10 + int64_t(digit - '0');
  return value;
}

/// Whether |x| ≤ limit.
static bool fits(const Integer &x, int64_t limit) {
  return x <= limit && x >= -limit;
}

/// The number of bits of `x` ≥ 0 without leading zeros; 0 for 0. It divides in
/// chunks of 62 bits, since DynamicAPInt has no such query.
static int64_t bitLength(Integer x) {
  int64_t bits = 0;
  const Integer chunk = integerPower(Integer(2), 62);
  for (; x >= chunk; x = x / chunk)
    bits += 62;
  for (auto rest = static_cast<int64_t>(x); rest; rest >>= 1)
    ++bits;
  return bits;
}

/// The largest r with r^k ≤ x.
static Integer floorRoot(const Integer &x, int64_t k) {
  if (k == 1)
    return x;
  if (fits(x, int64_t(1) << 52)) {
    auto value = static_cast<int64_t>(x);
    auto guess = int64_t(std::pow(double(value), 1.0 / double(k)));
    while (integerPower(Integer(guess + 1), k) <= value)
      ++guess;
    while (guess > 0 && integerPower(Integer(guess), k) > value)
      --guess;
    return Integer(guess);
  }
  // Bisection. The invariant is low^k ≤ x < high^k: x < 2^bits ≤ (2^(bits / k +
  // 1))^k.
  Integer low(1), high = integerPower(Integer(2), bitLength(x) / k + 1);
  while (low + 1 < high) {
    Integer middle = (low + high) / 2;
    (integerPower(middle, k) <= x ? low : high) = middle;
  }
  return low;
}

/// x = base^k with the largest k.
static std::pair<Integer, int64_t> perfectPower(Integer x) {
  int64_t power = 1;
  int64_t bits = bitLength(x);
  // Only prime exponents, each applied as often as possible; x is odd here, so
  // a root is at least 3.
  for (int64_t k = 2; k * 3 <= bits * 2; ++k) {
    bool prime = true;
    for (int64_t divisor = 2; divisor * divisor <= k; ++divisor)
      prime &= k % divisor != 0;
    while (prime) {
      Integer root = floorRoot(x, k);
      if (root == 1 || integerPower(root, k) != x)
        break;
      x = root;
      power *= k;
      bits = bitLength(x);
    }
  }
  return {x, power};
}

//===----------------------------------------------------------------------===//
// Exponents
//===----------------------------------------------------------------------===//

/// The fraction in lowest terms; denominator > 0. Throws std::overflow_error if
/// it does not fit. The 128-bit arguments hold any product of two 64-bit
/// integers, so callers need not check.
static Exponent reduced(__int128 numerator, __int128 denominator) {
  if (denominator == 1 && numerator <= INT64_MAX && numerator >= -INT64_MAX)
    return {int64_t(numerator), 1};
  __int128 a = numerator < 0 ? -numerator : numerator, b = denominator;
  while (b) {
    __int128 rest = a % b;
    a = b;
    b = rest;
  }
  numerator /= a;
  denominator /= a;
  if (numerator > INT64_MAX || numerator < -INT64_MAX ||
      denominator > INT64_MAX)
    throw std::overflow_error("an exponent of a constant has over 63 bits");
  return {int64_t(numerator), int64_t(denominator)};
}

Exponent Exponent::operator+(Exponent other) const {
  if (denominator == 1 && other.denominator == 1)
    return reduced(__int128(numerator) + other.numerator, 1);
  return reduced(__int128(numerator) * other.denominator +
                     __int128(other.numerator) * denominator,
                 __int128(denominator) * other.denominator);
}

Exponent Exponent::operator*(Exponent other) const {
  // Both are in lowest terms; reducing crosswise first keeps the products
  // small.
  Exponent left = reduced(numerator, other.denominator);
  Exponent right = reduced(other.numerator, denominator);
  return reduced(__int128(left.numerator) * right.numerator,
                 __int128(left.denominator) * right.denominator);
}

Exponent Exponent::operator/(Exponent other) const {
  bool negative = other.numerator < 0;
  Exponent inverse = {negative ? -other.denominator : other.denominator,
                      negative ? -other.numerator : other.numerator};
  return *this * inverse;
}

std::string Exponent::str() const {
  std::string text = std::to_string(numerator);
  return isInteger() ? text : text + "/" + std::to_string(denominator);
}

//===----------------------------------------------------------------------===//
// Factors
//===----------------------------------------------------------------------===//

/// Multiplies `factors` by base^exponent and keeps them coprime.
static void multiplyInto(std::vector<Factor> &factors, Integer base,
                         Exponent exponent) {
  // Powers of 2 become a factor of their own, although a gcd would do without:
  // isPowerOfTwo needs the base 2 wherever it divides anything.
  int64_t twos = 0;
  while (base > 1 && base % 2 == 0) {
    base = base / 2;
    ++twos;
  }
  std::vector<Factor> pending;
  if (twos)
    pending.push_back({Integer(2), exponent * Exponent{twos, 1}});
  if (base > 1) {
    auto [root, power] = perfectPower(base);
    pending.push_back({root, exponent * Exponent{power, 1}});
  }
  while (!pending.empty()) {
    Factor next = pending.back();
    pending.pop_back();
    if (next.base == 1 || next.exponent.numerator == 0)
      continue;
    auto shared = llvm::find_if(factors, [&](const Factor &factor) {
      return gcd(factor.base, next.base) != 1;
    });
    if (shared == factors.end()) {
      factors.push_back(next);
      continue;
    }
    // a^x b^y with g = gcd(a, b) is (a/g)^x (b/g)^y g^(x+y). The product of all
    // bases shrinks by g with each such step, so the loop ends.
    Factor old = *shared;
    factors.erase(shared);
    Integer common = gcd(old.base, next.base);
    pending.push_back({old.base / common, old.exponent});
    pending.push_back({next.base / common, next.exponent});
    pending.push_back({common, old.exponent + next.exponent});
  }
}

/// Splitting may leave perfect powers (45 / 5 = 3²) and an unsorted list;
/// normalizes both.
static void settle(std::vector<Factor> &factors) {
  for (Factor &factor : factors) {
    if (factor.base == 2)
      continue;
    auto [root, power] = perfectPower(factor.base);
    factor.base = root;
    factor.exponent = factor.exponent * Exponent{power, 1};
  }
  llvm::sort(factors,
             [](const Factor &a, const Factor &b) { return a.base < b.base; });
}

/// p, q and D with |x|^D = p / q in lowest terms and minimal D: since bases are
/// not perfect powers, D is the common denominator of the exponents.
namespace {
struct Rationalized {
  Integer numerator{1}, denominator{1};
  int64_t root = 1;
};
} // namespace

/// The least common multiple of the exponents' denominators. Throws
/// std::overflow_error if it does not fit in 63 bits.
static int64_t commonDenominator(const std::vector<Factor> &factors) {
  int64_t common = 1;
  for (const Factor &factor : factors) {
    int64_t denominator = factor.exponent.denominator;
    denominator /= std::gcd(common, denominator);
    if (__builtin_mul_overflow(common, denominator, &common))
      throw std::overflow_error("the roots in a constant have over 63 bits");
  }
  return common;
}

/// |x|^D as a fraction. The integers may be huge: callers check
/// `rationalizedBits` first where the exponents come from a user.
static Rationalized rationalized(const std::vector<Factor> &factors) {
  Rationalized result;
  result.root = commonDenominator(factors);
  for (const Factor &factor : factors) {
    int64_t power =
        factor.exponent.numerator * (result.root / factor.exponent.denominator);
    Integer &side = power > 0 ? result.numerator : result.denominator;
    side = side * integerPower(factor.base, std::abs(power));
  }
  return result;
}

/// The number of bits that the result of `rationalized` would need.
static double rationalizedBits(const std::vector<Factor> &factors) {
  double bits = 0, common = double(commonDenominator(factors));
  for (const Factor &factor : factors)
    bits += std::fabs(double(factor.exponent.numerator) * common /
                      double(factor.exponent.denominator)) *
            double(bitLength(factor.base));
  return bits;
}

/// Sums of more bits are not kept exact: they come from specs like 3^65536 + 1,
/// and no weight has that precision.
static constexpr double longestSum = 1024;

/// log2 of a positive integer.
static long double log2Of(const Integer &x) {
  int64_t shift = std::max<int64_t>(bitLength(x) - 63, 0);
  Integer top = x / integerPower(Integer(2), shift);
  return std::log2((long double)static_cast<int64_t>(top)) + (long double)shift;
}

/// log2(log2(e)^exponent)
static long double logOfLog2e(Exponent exponent) {
  return std::log2(1.442695040888963407359924681001892137L) *
         (long double)exponent.numerator / (long double)exponent.denominator;
}

/// log2 of the product of all factors, with the rounding error of long double.
static long double log2Of(const std::vector<Factor> &factors) {
  long double sum = 0;
  for (const Factor &factor : factors)
    sum += log2Of(factor.base) * (long double)factor.exponent.numerator /
           (long double)factor.exponent.denominator;
  return sum;
}

//===----------------------------------------------------------------------===//
// Construction
//===----------------------------------------------------------------------===//

ExactScalar::ExactScalar(int64_t integer) {
  sign = integer > 0 ? 1 : integer < 0 ? -1 : 0;
  if (sign == 0)
    return;
  multiplyInto(factors, abs(Integer(integer)), {1, 1});
  settle(factors);
}

ExactScalar ExactScalar::rational(Integer numerator, Integer denominator) {
  if (denominator == 0)
    throw std::domain_error("division by zero");
  ExactScalar result(int64_t(0));
  if (numerator == 0)
    return result;
  result.sign = (numerator < 0) == (denominator < 0) ? 1 : -1;
  numerator = abs(numerator);
  denominator = abs(denominator);
  Integer common = gcd(numerator, denominator);
  multiplyInto(result.factors, numerator / common, {1, 1});
  multiplyInto(result.factors, denominator / common, {-1, 1});
  settle(result.factors);
  return result;
}

ExactScalar ExactScalar::log2OfE() {
  ExactScalar result;
  result.log2e = {1, 1};
  return result;
}

std::optional<ExactScalar> ExactScalar::parseDecimal(std::string_view text) {
  size_t at = 0;
  bool negative = false;
  if (at < text.size() && (text[at] == '-' || text[at] == '+'))
    negative = text[at++] == '-';
  std::string digits;
  int64_t exponent = 0;
  bool fraction = false;
  for (; at < text.size(); ++at) {
    if (text[at] == '.' && !fraction) {
      fraction = true;
    } else if (text[at] >= '0' && text[at] <= '9') {
      digits += text[at];
      exponent -= fraction;
    } else {
      break;
    }
  }
  if (digits.empty())
    return std::nullopt;
  if (at < text.size() && (text[at] == 'e' || text[at] == 'E')) {
    ++at;
    bool minus = false;
    if (at < text.size() && (text[at] == '-' || text[at] == '+'))
      minus = text[at++] == '-';
    int64_t power = 0;
    size_t first = at;
    for (; at < text.size() && text[at] >= '0' && text[at] <= '9'; ++at)
      power = std::min<int64_t>(power * 10 + (text[at] - '0'), 100000);
    if (at == first)
      return std::nullopt;
    exponent += minus ? -power : power;
  }
  // Rejects exponents far beyond the range of a double.
  if (at != text.size() || std::abs(exponent) > 5000)
    return std::nullopt;
  Integer mantissa = parseInteger(digits);
  if (negative)
    mantissa = -mantissa;
  Integer power = integerPower(Integer(10), std::abs(exponent));
  return exponent < 0 ? rational(mantissa, power)
                      : rational(mantissa * power, Integer(1));
}

//===----------------------------------------------------------------------===//
// Arithmetic
//===----------------------------------------------------------------------===//

bool ExactScalar::isRational() const {
  return log2e.isZero() && llvm::all_of(factors, [](const Factor &factor) {
           return factor.exponent.isInteger();
         });
}

bool ExactScalar::isPowerOfTwo() const {
  return sign != 0 && isRational() &&
         (factors.empty() || (factors.size() == 1 && factors[0].base == 2));
}

std::optional<std::pair<Integer, Integer>> ExactScalar::asRational() const {
  if (!isRational() || rationalizedBits(factors) > longestSum)
    return std::nullopt;
  Rationalized value = rationalized(factors);
  return std::pair(value.numerator * int64_t(sign), value.denominator);
}

std::optional<int64_t> ExactScalar::asInteger() const {
  for (const Factor &factor : factors)
    if (factor.exponent.denominator != 1 || factor.exponent.numerator < 0)
      return std::nullopt;
  if (!log2e.isZero() || rationalizedBits(factors) > 200)
    return std::nullopt;
  Integer value = rationalized(factors).numerator;
  if (!fits(value, INT64_MAX))
    return std::nullopt;
  return static_cast<int64_t>(value) * sign;
}

ExactScalar ExactScalar::operator*(const ExactScalar &other) const {
  ExactScalar result = *this;
  result.sign *= other.sign;
  if (result.sign == 0) {
    result.factors.clear();
    result.log2e = {0, 1};
    return result;
  }
  result.log2e = log2e + other.log2e;
  for (const Factor &factor : other.factors)
    multiplyInto(result.factors, factor.base, factor.exponent);
  settle(result.factors);
  return result;
}

ExactScalar ExactScalar::operator/(const ExactScalar &other) const {
  if (other.sign == 0)
    throw std::domain_error("division by zero");
  ExactScalar inverse = other;
  for (Factor &factor : inverse.factors)
    factor.exponent = -factor.exponent;
  inverse.log2e = -inverse.log2e;
  return *this * inverse;
}

ExactScalar ExactScalar::operator-() const {
  ExactScalar result = *this;
  result.sign = -sign;
  return result;
}

std::optional<ExactScalar> ExactScalar::power(Exponent exponent) const {
  if (exponent.numerator == 0)
    return ExactScalar(int64_t(1));
  if (sign == 0) {
    if (exponent.numerator < 0)
      return std::nullopt;
    return *this;
  }
  exponent = reduced(exponent.numerator, exponent.denominator);
  if (sign < 0 && exponent.denominator % 2 == 0)
    return std::nullopt;
  ExactScalar result = *this;
  result.sign = sign < 0 && exponent.numerator % 2 != 0 ? -1 : 1;
  for (Factor &factor : result.factors)
    factor.exponent = factor.exponent * exponent;
  result.log2e = log2e * exponent;
  return result;
}

std::optional<ExactScalar> ExactScalar::plus(const ExactScalar &other) const {
  if (sign == 0)
    return other;
  if (other.sign == 0)
    return *this;
  ExactScalar ratio = *this / other;
  if (!ratio.isRational() || rationalizedBits(ratio.factors) > longestSum)
    return std::nullopt;
  auto [numerator, denominator] = *ratio.asRational();
  return rational(numerator + denominator, denominator) * other;
}

bool ExactScalar::operator==(const ExactScalar &other) const {
  if (sign != other.sign)
    return false;
  if (log2e != other.log2e)
    return false;
  return factors == other.factors || sign == 0 || (*this / other).isOne();
}

bool ExactScalar::operator<(const ExactScalar &other) const {
  if (sign != other.sign || sign == 0)
    return sign < other.sign;
  ExactScalar ratio = *this / other; // positive
  if (ratio.isOne())
    return false;
  // The ratio is positive here, and the comparison is whether it is below 1.
  bool smaller;
  if (!ratio.log2e.isZero()) {
    // No algebraic number is a power of log2(e), so the two logarithms differ.
    smaller = log2Of(ratio.factors) + logOfLog2e(ratio.log2e) < 0;
  } else if (rationalizedBits(ratio.factors) < 20000) {
    Rationalized exact = rationalized(ratio.factors);
    smaller = exact.numerator < exact.denominator;
  } else {
    smaller = log2Of(ratio.factors) < 0;
  }
  return sign > 0 ? smaller : !smaller;
}

double ExactScalar::toDouble() const {
  if (sign == 0)
    return 0;
  if (!log2e.isZero()) {
    ExactScalar rest = *this;
    rest.log2e = {0, 1};
    return double((long double)rest.toDouble() * std::exp2(logOfLog2e(log2e)));
  }
  // The computation takes the root of a number with 66 bits for each power of
  // the root.
  if (rationalizedBits(factors) + 66.0 * double(commonDenominator(factors)) >
      20000)
    return double(sign) * double(std::exp2(log2Of(factors)));
  // floor((p / q · 2^(D·s))^(1/D)) with at least 64 bits, so that the final
  // rounding to 53 bits is the only one that matters.
  Rationalized value = rationalized(factors);
  int64_t bits = bitLength(value.numerator) - bitLength(value.denominator);
  int64_t shift = 66 - bits / value.root;
  Integer numerator = value.numerator, denominator = value.denominator;
  Integer &side = shift > 0 ? numerator : denominator;
  side = side * integerPower(Integer(2), std::abs(shift) * value.root);
  Integer root = floorRoot(numerator / denominator, value.root);
  // 62 bits and a sticky bit, which is set if nonzero digits follow.
  int64_t drop = std::max<int64_t>(bitLength(root) - 62, 0);
  Integer unit = integerPower(Integer(2), drop);
  Integer top = root / unit;
  bool exact = top * unit == root &&
               integerPower(root, value.root) * denominator == numerator;
  auto mantissa = (static_cast<int64_t>(top) << 1) | (exact ? 0 : 1);
  return double(sign) * std::ldexp(double(mantissa), int(drop - 1 - shift));
}

size_t ExactScalar::hash() const {
  if (sign == 0)
    return 0;
  Rationalized value = rationalized(factors);
  std::string text = decimalText(value.numerator * int64_t(sign)) + "/" +
                     decimalText(value.denominator) + "^" +
                     std::to_string(value.root) + "," + log2e.str();
  return std::hash<std::string>()(text);
}

} // namespace transfold
