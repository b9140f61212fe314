// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sizes whose values are not known. A polynomial cannot represent d / h, but
// the equations only need to know that h of these make d again: the quotient
// becomes an atom with the rule h * (d / h) = d, and is shown under the name
// that the spec gives it, d_k.

#pragma once

#include "base/exact/Dim.h"
#include "base/exact/IndexExpr.h"

#include <map>
#include <set>
#include <string>
#include <vector>

namespace transfold::spec {

/// The atoms of symbolic sizes and the rules between them.
class Symbols {
public:
  /// numerator / denominator; an atom with a rule if the division is not exact.
  Dim quotient(const Dim &numerator, const Dim &denominator);
  /// floor(numerator / denominator); an atom if it is not a polynomial.
  Dim floorQuotient(const Dim &numerator, int64_t denominator);
  /// A size that only a concrete model determines: it counts as equal to any
  /// other.
  Dim unknown(const std::string &text);
  /// Shows the atom `size` as `name` from now on, unless it has a name already.
  void name(const Dim &size, const std::string &name);

  /// Declares `name` as a length; the values of all other atoms are known at
  /// compile time.
  void addLength(const std::string &name);
  /// The value of `size` at run time, if all its names are lengths; null
  /// otherwise.
  IndexExprPtr numberOf(const Dim &size) const;

  /// Whether two sizes are equal; also true if that depends on a value that is
  /// not known yet: 2 * ((k - 1) div 2) + 1 is k if k is odd.
  bool same(const Dim &a, const Dim &b) const;
  /// The text of a size, with the names of quotients.
  std::string show(const Dim &size) const;

private:
  /// Whether all of its names are lengths.
  bool isOfLengths(const Dim &size) const;
  /// Applies the rules until none changes the size.
  Dim normal(Dim size) const;

  /// factor * ∏ atoms = by; the last of `atoms` is the quotient.
  struct Rule {
    std::vector<std::string> atoms;
    int64_t factor;
    Dim by;
  };
  std::vector<Rule> rules;
  std::set<std::string> lengths;
  std::set<std::string> open; // atoms that only a concrete model determines
  std::map<std::string, std::string> names; // of quotients
};

} // namespace transfold::spec
