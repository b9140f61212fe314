// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/constrain/schema/Disjointness.h"

#include "runtime/constrain/schema/AllowedValues.h"
#include "runtime/constrain/schema/ArrayRules.h"
#include "runtime/constrain/schema/NumberRules.h"
#include "runtime/constrain/schema/ObjectRules.h"
#include "runtime/constrain/schema/StringRules.h"
#include "runtime/constrain/schema/ValueTypes.h"

#include <algorithm>

namespace transfold::runtime::inline constrain {

namespace {

class Proof {
public:
  Proof(SchemaDocument &document, ConstraintBudget &budget)
      : document(document), budget(budget) {}

  /// `depth`: how many levels of properties may be looked at.
  bool run(const Conjunction &one, const Conjunction &other, int depth) {
    auto values = allowedValues(document, one, budget),
         others = allowedValues(document, other, budget);
    if (values && others)
      return std::ranges::none_of(*values, [&](const SchemaJson *value) {
        budget.work(1 + others->size());
        return std::ranges::any_of(*others, [&](const SchemaJson *each) {
          return areEqual(*value, *each);
        });
      });
    if (values)
      return noneSatisfies(*values, other);
    if (others)
      return noneSatisfies(*others, one);
    const ValueTypes common = typesOf(document, one) & typesOf(document, other);
    if (common & (nullType | booleanType))
      return false;
    if ((common & (integerType | fractionType)) &&
        !NumberRules(document, one).isDisjointFrom({document, other}))
      return false;
    if ((common & stringType) &&
        !StringRules(document, one).isDisjointFrom({document, other}, budget))
      return false;
    return (!(common & arrayType) || listsDiffer(one, other)) &&
           (!(common & objectType) || objectsDiffer(one, other, depth));
  }

private:
  SchemaDocument &document;
  ConstraintBudget &budget;

  /// Objects are equal in any order; they are not compared further.
  static bool areEqual(const SchemaJson &a, const SchemaJson &b) {
    return a == b || (a.is_structured() && b.is_structured());
  }

  bool noneSatisfies(const std::vector<const SchemaJson *> &values,
                     const Conjunction &all) {
    return std::ranges::none_of(values, [&](const SchemaJson *value) {
      return value->is_structured()
                 ? (typesOf(document, all) & typeOf(*value)) != 0
                 : satisfies(document, all, *value, budget);
    });
  }

  bool listsDiffer(const Conjunction &one, const Conjunction &other) {
    const ArrayRules mine(document, one), others(document, other);
    return mine.most() < others.least() || others.most() < mine.least();
  }

  /// Whether an object that has the properties required by either fails the
  /// other one.
  bool objectsDiffer(const Conjunction &one, const Conjunction &other,
                     int depth) {
    const ObjectRules mine(document, one, budget),
        others(document, other, budget);
    auto differAt = [&](const std::string &name) {
      budget.work(10);
      // If one requires it, its value must satisfy both.
      return (mine.isRequired(name) || others.isRequired(name)) &&
             goalsDiffer(mine.goalOf(name), others.goalOf(name), depth);
    };
    return mine.most() < others.least() || others.most() < mine.least() ||
           std::ranges::any_of(mine.names(), differAt) ||
           std::ranges::any_of(others.names(), differAt);
  }

  bool goalsDiffer(const std::vector<SubschemaId> &one,
                   const std::vector<SubschemaId> &other, int depth) {
    // Below, "oneOf" is as good as "anyOf": it only allows less.
    Conjunctions conjunctions(document, budget,
                              [](const auto &, const auto &) { return true; });
    const auto mine = conjunctions.alternatives(one),
               others = conjunctions.alternatives(other);
    if (mine.empty() || others.empty())
      return true;
    return depth > 0 && std::ranges::all_of(mine, [&](const Conjunction &a) {
             return std::ranges::all_of(others, [&](const Conjunction &b) {
               return run(a, b, depth - 1);
             });
           });
  }
};

} // namespace

bool areDisjoint(SchemaDocument &document, const Conjunction &one,
                 const Conjunction &other, ConstraintBudget &budget) {
  constexpr int levels = 3;
  return Proof(document, budget).run(one, other, levels);
}

} // namespace transfold::runtime::inline constrain
