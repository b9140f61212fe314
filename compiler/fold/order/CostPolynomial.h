// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a product costs, in multiply-adds, while lengths are not known: 98304 n
// + 12 n m. Coefficients are not negative and lengths are at least 1, so a
// polynomial whose coefficients are all at most those of another costs at most
// as much for every length.

#pragma once

#include <map>
#include <string>
#include <vector>

namespace transfold::fold {

/// The size of an axis: a number, or a length that is known when the program
/// runs.
struct Extent {
  double number = 1;
  /// The name of the length; empty for a number.
  std::string length = {};
};

/// A polynomial in the lengths, whose coefficients are not negative. Those
/// above 2^53 are rounded.
class CostPolynomial {
public:
  /// The cost of nothing.
  CostPolynomial() = default;
  /// The product of some sizes: one multiply-add for each element.
  explicit CostPolynomial(const std::vector<Extent> &sizes);

  CostPolynomial &operator+=(const CostPolynomial &other);
  bool operator==(const CostPolynomial &other) const = default;

  /// Whether no coefficient is larger than that of `other`.
  bool isAtMost(const CostPolynomial &other) const;
  /// The cost for these lengths. Throws std::out_of_range if one is missing.
  double at(const std::map<std::string, double> &lengths) const;
  /// The cost if all lengths are `length`.
  double atAll(double length) const;
  /// "98304 n + 12 n m"; "0" for nothing.
  std::string str() const;

private:
  /// The lengths of a term in alphabetical order, with repetitions: {m, n, n}.
  using Lengths = std::vector<std::string>;
  std::map<Lengths, double> terms;
};

} // namespace transfold::fold
