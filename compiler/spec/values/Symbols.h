// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sizes without numbers. A polynomial cannot say d / h, but the equations only
// need to know that h of them make d again: the quotient becomes an atom with
// the rule h * (d / h) = d, and is shown by the name that the spec gives it,
// d_k.

#ifndef TRANSFOLD_COMPILER_SPEC_VALUES_SYMBOLS_H
#define TRANSFOLD_COMPILER_SPEC_VALUES_SYMBOLS_H

#include "compiler/spec/values/Dim.h"
#include "dialect/exact/IndexExpr.h"

#include <map>
#include <set>
#include <string>
#include <vector>

namespace transfold::spec {

class Symbols {
public:
  Dim quotient(const Dim &numerator, const Dim &denominator);
  /// floor(numerator / denominator); an atom where no form is known.
  Dim floorQuotient(const Dim &numerator, int64_t denominator);
  /// A size that only a model says: it may be equal to any other until then.
  Dim unknown(const std::string &text);
  /// Shows the atom `size` as `name` from now on, where it has no name yet.
  void name(const Dim &size, const std::string &name);

  /// `name` is a length: what the other atoms are is known when compiling.
  void addLength(const std::string &name);
  /// The number that `size` is when the program runs, where its atoms are
  /// lengths; null where there are others.
  IndexExprPtr numberOf(const Dim &size) const;

  /// Whether two sizes are equal; true also where that hangs on a number that
  /// nobody knows yet: 2 * ((k - 1) div 2) + 1 is k where k is odd.
  bool same(const Dim &a, const Dim &b) const;
  std::string show(const Dim &size) const;

private:
  Dim normal(Dim size) const;

  struct Rule {
    std::vector<std::string> atoms;
    int64_t factor;
    Dim by;
  };
  std::vector<Rule> rules;
  std::set<std::string> lengths;
  std::set<std::string> open;               // what only numbers tell
  std::map<std::string, std::string> names; // of quotients
};

} // namespace transfold::spec

#endif // TRANSFOLD_COMPILER_SPEC_VALUES_SYMBOLS_H
