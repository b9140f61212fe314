// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The size of an axis: a polynomial with integer coefficients over named atoms.
// Atoms are the lengths of a model (n, m), quotients of sizes, rounded down,
// and without a checkpoint that gives them values its constants (d, h, d_k).
// With a checkpoint, a Dim is a number or a polynomial over lengths and
// quotients only.
//
// After a convolution with a stride a sequence has (n - 10) div 5 + 1 rows.
// Such a size is named by its text, "n div 5 - 1", from the spec to the running
// program, where its value follows from that of n.

#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace transfold {

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
  /// The floor of a division by a positive number, for atoms that are integers.
  /// What is not a polynomial is an atom in normal form, so that equal
  /// quotients are equal: its coefficients lie between 0 and the divisor, and a
  /// quotient of a quotient is one quotient, ((n - 10) div 5 - 1) div 2 = (n +
  /// 5) div 10
  /// - 2.
  Dim floorQuotient(int64_t divisor) const;
  /// "(n + 240) div 320" as n + 240 and 320; nullopt for atoms that are not
  /// quotients.
  static std::optional<std::pair<Dim, int64_t>>
  quotientOf(const std::string &atom);
  /// Replaces factor * ∏ atoms by `by` in each term that contains it.
  Dim replaced(std::vector<std::string> atoms, int64_t factor,
               const Dim &by) const;
  /// The atoms and the coefficient, if this is a single term.
  std::optional<std::pair<std::vector<std::string>, int64_t>>
  asMonomial() const;

  /// Without the constant term: n for n - 1.
  Dim withoutNumber() const;
  /// The names in it, also those within quotients.
  std::set<std::string> names() const;

  /// The value if `valueOf` gives those of the names; nullopt if it has none
  /// for one of them, or if the value does not fit in 63 bits.
  using ValueOf =
      std::function<std::optional<int64_t>(const std::string &name)>;
  std::optional<int64_t> at(const ValueOf &valueOf) const;
  /// If the size depends on one name and grows with it: this name, and its
  /// smallest value of at least 1 for which the size is at least `wanted`.
  std::optional<std::pair<std::string, int64_t>> leastFor(int64_t wanted) const;

  bool operator==(const Dim &other) const = default;
  /// "n", "384", "h * d_k", "N + 1", "(n + 240) div 320 - 1".
  std::string str() const;
  /// Reads what `str` prints of numbers, names and quotients; nullopt for any
  /// other text.
  static std::optional<Dim> parse(std::string_view text);

  /// Sorted atoms of each monomial (repeated for powers) → coefficient, never
  /// 0.
  using Terms = std::map<std::vector<std::string>, int64_t>;
  /// The terms of the polynomial; empty for 0.
  const Terms &monomials() const { return terms; }

private:
  Terms terms;
};

/// Whether a length with this name follows from other lengths: whether the name
/// is an expression. Names of other lengths have letters, digits, `_` and `.`.
bool isDerivedLength(std::string_view name);

} // namespace transfold
