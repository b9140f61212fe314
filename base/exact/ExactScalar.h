// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Exact scalars: sign × ∏ base^exponent × log2(e)^exponent. Bases are coprime
// integers above 1 (2 is always one of them if it divides anything), exponents
// are rational. √d_k, 1/√d_k, 0.22 (the rational 11/50, as JSON writes it) and
// their products, quotients and roots are exact; two scalars compare equal
// exactly when they are the same number. A sum of irrationals has no such form:
// it becomes a double, marked inexact. log2(e) is not a root of a rational and
// is a symbol of its own: a softmax that computes powers of two has it in its
// scale.
//
// Plain C++ on LLVM's ADT, shared by the spec's static evaluator and the
// dialect's attribute.

#pragma once

#include <llvm/ADT/DynamicAPInt.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace transfold {

/// numerator / denominator in lowest terms, denominator > 0; 64 bits are enough
/// for exponents (roots of roots of products).
struct Exponent {
  int64_t numerator = 1;
  int64_t denominator = 1;
  bool operator==(const Exponent &) const = default;

  // Exact; throws std::overflow_error if the result needs more than 63 bits.
  Exponent operator+(Exponent other) const;
  Exponent operator*(Exponent other) const;
  Exponent operator/(Exponent other) const; // other ≠ 0
  Exponent operator-() const { return {-numerator, denominator}; }
  /// Whether base^this is 1 for every base.
  bool isZero() const { return numerator == 0; }
  /// Whether base^this is rational for every rational base.
  bool isInteger() const { return denominator == 1; }
  /// "-1", "1/2"
  std::string str() const;
};

/// An exact nonzero scalar in factored form, or 0.
class ExactScalar {
public:
  using Integer = llvm::DynamicAPInt;
  /// One factor base^exponent of the product.
  struct Factor {
    Integer base;      // 1, pairwise coprime, ascending, not a perfect power
    Exponent exponent; // never 0
    bool operator==(const Factor &) const = default;
  };

  ExactScalar() : ExactScalar(int64_t(1)) {}
  ExactScalar(int64_t integer);
  /// numerator / denominator; throws std::domain_error if the denominator is 0.
  static ExactScalar rational(Integer numerator, Integer denominator);
  /// The symbol log2(e).
  static ExactScalar log2OfE();
  /// Parses a decimal as JSON or a spec writes it: "0.22" is 11/50, "1e-12" is
  /// 10^-12. Nullopt if `text` is not a decimal number.
  static std::optional<ExactScalar> parseDecimal(std::string_view text);
  /// Parses the form that `str` prints: "1/sqrt(32)", "2^(-5/2)", "-11/50",
  /// "3*sqrt(2)".
  static std::optional<ExactScalar> parse(std::string_view text);

  /// The scalar 0 has no logarithm: folding treats it separately.
  bool isZero() const { return sign == 0; }
  /// Whether the factor may be dropped. No factor list of 1 has elements, since
  /// bases are coprime and exponents nonzero.
  bool isOne() const { return sign == 1 && factors.empty() && log2e.isZero(); }
  /// Whether the scalar is below 0.
  bool isNegative() const { return sign < 0; }
  /// Whether the scalar is a fraction of integers.
  bool isRational() const; // all exponents integers, no log2(e)
  /// Whether it is ±2^k: multiplication by it is exact in floating point.
  bool isPowerOfTwo() const;
  /// Numerator and denominator (above zero), if isRational and both below
  /// 2^1024.
  std::optional<std::pair<Integer, Integer>> asRational() const;
  /// The value as an integer; nullopt if it is not one or exceeds 64 bits.
  std::optional<int64_t> asInteger() const;

  /// Exact; throws std::overflow_error if an exponent needs more than 63 bits.
  /// Division by 0 throws std::domain_error.
  ExactScalar operator*(const ExactScalar &other) const;
  ExactScalar operator/(const ExactScalar &other) const; // other ≠ 0
  ExactScalar operator-() const;
  /// this^exponent; nullopt for a negative base under an even root, and for 0
  /// to a negative power.
  std::optional<ExactScalar> power(Exponent exponent) const;
  /// The sum if it has the exact form (both rational, or equal up to a rational
  /// factor: √2 + √8 = 3√2) and is not very long; nullopt otherwise.
  std::optional<ExactScalar> plus(const ExactScalar &other) const;

  /// Exact comparison.
  bool operator==(const ExactScalar &other) const;
  bool operator<(const ExactScalar &other) const;

  /// The nearest double (correct to an ulp).
  double toDouble() const;
  /// The shortest decimal of toDouble(), such as "0.22", if it is the scalar.
  std::optional<std::string> decimal() const;
  /// Readable text: "8", "1/8", "sqrt(384)", "1/sqrt(32)", "11/50".
  std::string str() const;
  /// Equal for equal scalars.
  size_t hash() const;

  int sign = 1; // -1, 0, 1; 0 has no factors
  std::vector<Factor> factors;
  Exponent log2e{0, 1};
};

} // namespace transfold
