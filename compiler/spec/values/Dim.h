// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The size of an axis: a polynomial with integer coefficients over named atoms.
// Atoms are the lengths of a model (n, m) and, without a checkpoint that gives
// them values, its constants (d, h, d_k). With a checkpoint, a Dim is a number
// or a polynomial over lengths only.

#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace transfold::spec {

/// A size as a polynomial in normal form.
class Dim {
public:
  /// The constant `number`; 0 has no terms.
  Dim(int64_t number = 0);
  /// The polynomial that is this one atom.
  static Dim atom(const std::string &name);

  /// The value, if this is a constant.
  std::optional<int64_t> asNumber() const;
  /// The name, if this is a single atom.
  std::optional<std::string> asAtom() const;

  /// Throws std::overflow_error if a coefficient exceeds 63 bits or the
  /// polynomial becomes too large, as do the next two operators.
  Dim operator+(const Dim &other) const;
  Dim operator-(const Dim &other) const;
  Dim operator*(const Dim &other) const;
  /// The exact quotient; nullopt if there is a remainder.
  std::optional<Dim> dividedBy(const Dim &other) const;
  /// The floor of a division by a positive number, for atoms that are natural
  /// numbers; sets `exact` to whether the result is correct.
  Dim floorDividedBy(int64_t divisor, bool &exact) const;
  /// Replaces factor * ∏ atoms by `by` in each term that contains it.
  Dim replaced(std::vector<std::string> atoms, int64_t factor,
               const Dim &by) const;
  /// The atoms and the coefficient, if this is a single term.
  std::optional<std::pair<std::vector<std::string>, int64_t>>
  asMonomial() const;

  /// Without the constant term: n for n - 1.
  Dim withoutNumber() const;

  bool operator==(const Dim &other) const = default;
  /// "n", "384", "h * d_k", "N + 1".
  std::string str() const;

  /// Sorted atoms of each monomial (repeated for powers) → coefficient, never
  /// 0.
  using Terms = std::map<std::vector<std::string>, int64_t>;
  /// The terms of the polynomial; empty for 0.
  const Terms &monomials() const { return terms; }

private:
  Terms terms;
};

} // namespace transfold::spec
