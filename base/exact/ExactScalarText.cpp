// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Exact scalars as readable text, and parsing of it: factors with integer
// exponents form the fraction, those with half-integer exponents go under one
// root, the rest is written as powers: 3*sqrt(2)/7, 1/sqrt(32), 10^(1/3).

#include "base/exact/ExactScalar.h"

#include <fmt/format.h>
#include <llvm/ADT/StringExtras.h>
#include <llvm/Support/raw_ostream.h>

#include <cctype>
#include <numeric>
#include <stdexcept>

namespace transfold {

using Integer = ExactScalar::Integer;
using Factor = ExactScalar::Factor;

//===----------------------------------------------------------------------===//
// Printing
//===----------------------------------------------------------------------===//

/// Limit from which a product of powers is written as powers.
static constexpr int64_t longestNumber = 1'000'000'000'000'000;

/// The decimal digits of `x`.
static std::string textOf(const Integer &x) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  x.print(stream);
  return text;
}

/// ∏ base^exponent; nullopt if it is `longestNumber` or more.
static std::optional<Integer>
shortProduct(const std::vector<std::pair<Integer, int64_t>> &powers) {
  Integer product(1);
  for (const auto &[base, exponent] : powers)
    for (int64_t k = 0; k < exponent; ++k) {
      product = product * base;
      if (product >= longestNumber)
        return std::nullopt;
    }
  return product;
}

/// "base^exponent": "2", "2^3", "2^(1/3)". Parentheses let the parser tell the
/// fraction bar of an exponent from a division.
static std::string powerText(std::string base, int64_t numerator,
                             int64_t denominator) {
  if (denominator != 1)
    return base + "^(" + std::to_string(numerator) + "/" +
           std::to_string(denominator) + ")";
  if (numerator != 1)
    return base + "^" + std::to_string(numerator);
  return base;
}

namespace {
/// One side of the fraction bar.
struct Side {
  std::vector<std::pair<Integer, int64_t>> whole;  // base^exponent
  std::vector<std::pair<Integer, int64_t>> halves; // base^(exponent/2)
  std::vector<std::string> others;

  void add(const Integer &base, int64_t numerator, int64_t denominator) {
    if (denominator == 1)
      whole.emplace_back(base, numerator);
    else if (denominator == 2)
      halves.emplace_back(base, numerator);
    else
      others.push_back(powerText(textOf(base), numerator, denominator));
  }
};
} // namespace

/// The factors of one side as terms that are joined by "*": the product of the
/// integer powers, the root of the product of the half powers, then the rest. A
/// product of more than 15 digits is written as powers.
static std::vector<std::string> termsOf(const Side &side) {
  std::vector<std::string> terms;
  if (auto product = shortProduct(side.whole)) {
    if (*product != 1)
      terms.push_back(textOf(*product));
  } else {
    for (const auto &[base, exponent] : side.whole)
      terms.push_back(powerText(textOf(base), exponent, 1));
  }
  if (auto product = shortProduct(side.halves)) {
    if (*product != 1)
      terms.push_back("sqrt(" + textOf(*product) + ")");
  } else {
    for (const auto &[base, exponent] : side.halves)
      terms.push_back(powerText(textOf(base), exponent, 2));
  }
  terms.insert(terms.end(), side.others.begin(), side.others.end());
  return terms;
}

std::string ExactScalar::str() const {
  if (sign == 0)
    return "0";
  Side above, below;
  for (const Factor &factor : factors) {
    bool positive = factor.exponent.numerator > 0;
    (positive ? above : below)
        .add(factor.base, std::abs(factor.exponent.numerator),
             factor.exponent.denominator);
  }
  std::string text = sign < 0 ? "-" : "";
  if (!log2e.isZero())
    (log2e.numerator > 0 ? above : below)
        .others.push_back(
            powerText("log2(e)", std::abs(log2e.numerator), log2e.denominator));
  // 3*sqrt(8) becomes 6*sqrt(2); sqrt(32) without other factors stays.
  for (Side *side : {&above, &below})
    if (!side->whole.empty())
      for (auto &[base, exponent] : side->halves)
        if (exponent > 1) {
          side->whole.emplace_back(base, exponent / 2);
          exponent = 1;
        }
  // A quotient of two roots is written as one root of a fraction.
  auto radicand = shortProduct(above.halves),
       divisor = shortProduct(below.halves);
  std::string root;
  if (radicand && divisor && *radicand != 1 && *divisor != 1) {
    root = "sqrt(" + textOf(*radicand) + "/" + textOf(*divisor) + ")";
    above.halves.clear();
    below.halves.clear();
  }
  std::vector<std::string> top = termsOf(above), bottom = termsOf(below);
  if (!root.empty())
    top.push_back(root);
  text += top.empty() ? "1" : llvm::join(top, "*");
  if (bottom.size() == 1)
    text += "/" + bottom.front();
  else if (!bottom.empty())
    text += "/(" + llvm::join(bottom, "*") + ")";
  return text;
}

//===----------------------------------------------------------------------===//
// Parsing
//===----------------------------------------------------------------------===//

namespace {
/// product = factor { ("*" | "/") factor }
/// factor  = ["-"] primary ["^" exponent]
/// primary = DECIMAL | "log2(e)" | "sqrt(" product ")" | "(" product ")"
class ScalarParser {
public:
  explicit ScalarParser(std::string_view text) : text(text) {}

  /// The scalar, if the grammar matches the whole text.
  std::optional<ExactScalar> parse() {
    auto result = product();
    skipSpace();
    return at == text.size() ? result : std::nullopt;
  }

private:
  std::string_view text;
  size_t at = 0;
  int depth = 0;

  void skipSpace() {
    while (at < text.size() && text[at] == ' ')
      ++at;
  }

  /// Consumes `token` and spaces before it; false, without consuming the token,
  /// if the text continues differently.
  bool accept(std::string_view token) {
    skipSpace();
    if (text.substr(at, token.size()) != token)
      return false;
    at += token.size();
    return true;
  }

  std::optional<ExactScalar> product() {
    auto left = factor();
    while (left) {
      bool times = accept("*");
      if (!times && !accept("/"))
        break;
      auto right = factor();
      if (!right || (!times && right->isZero()))
        return std::nullopt;
      left = times ? *left * *right : *left / *right;
    }
    return left;
  }

  std::optional<ExactScalar> factor() {
    bool negative = accept("-");
    auto result = primary();
    if (result && accept("^")) {
      auto power = exponent();
      if (!power)
        return std::nullopt;
      result = result->power(*power);
    }
    if (result && negative)
      result = -*result;
    return result;
  }

  std::optional<Exponent> exponent() {
    bool parenthesis = accept("("), negative = accept("-");
    auto numerator = integer();
    std::optional<int64_t> denominator = 1;
    if (parenthesis && accept("/"))
      denominator = integer();
    if (!numerator || !denominator || *denominator == 0 ||
        (parenthesis && !accept(")")))
      return std::nullopt;
    int64_t common = std::gcd(*numerator, *denominator);
    return Exponent{(negative ? -*numerator : *numerator) / common,
                    *denominator / common};
  }

  std::optional<int64_t> integer() {
    skipSpace();
    size_t first = at;
    int64_t value = 0;
    for (; at < text.size() && std::isdigit((unsigned char)text[at]); ++at) {
      if (value > (INT64_MAX - 9) / 10)
        return std::nullopt;
      value = value * 10 + (text[at] - '0');
    }
    if (at == first)
      return std::nullopt;
    return value;
  }

  std::optional<ExactScalar> primary() {
    if (accept("log2(e)"))
      return ExactScalar::log2OfE();
    bool root = accept("sqrt(");
    if (root || accept("(")) {
      // Limits the recursion: the text may come from a module that a user
      // wrote.
      if (++depth > 64)
        return std::nullopt;
      auto inner = product();
      --depth;
      if (!inner || !accept(")"))
        return std::nullopt;
      return root ? inner->power({1, 2}) : inner;
    }
    skipSpace();
    size_t first = at;
    auto digits = [&] {
      while (at < text.size() && std::isdigit((unsigned char)text[at]))
        ++at;
    };
    digits();
    if (at < text.size() && text[at] == '.') {
      ++at;
      digits();
    }
    if (at > first && at < text.size() &&
        (text[at] == 'e' || text[at] == 'E')) {
      ++at;
      if (at < text.size() && (text[at] == '-' || text[at] == '+'))
        ++at;
      digits();
    }
    // An empty text is not a decimal, so anything unexpected ends here.
    return ExactScalar::parseDecimal(text.substr(first, at - first));
  }
};
} // namespace

std::optional<std::string> ExactScalar::decimal() const {
  std::string text = fmt::format("{}", toDouble());
  if (parseDecimal(text) != *this)
    return std::nullopt;
  return text;
}

std::optional<ExactScalar> ExactScalar::parse(std::string_view text) {
  try {
    return ScalarParser(text).parse();
  } catch (const std::overflow_error &) {
    return std::nullopt;
  }
}

} // namespace transfold
