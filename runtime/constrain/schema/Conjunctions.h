// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A value that must satisfy several subschemas at once, as alternatives: each
// alternative is a set of subschemas of which only the keywords about values
// count, since "$ref", "allOf", "anyOf" and "oneOf" are resolved.

#pragma once

#include "runtime/constrain/schema/SchemaDocument.h"

#include <functional>
#include <memory>

namespace transfold::runtime::inline constrain {

/// Subschemas that a value must satisfy all; sorted.
using Conjunction = std::vector<SubschemaId>;

/// Resolves what combines subschemas.
class Conjunctions {
public:
  /// Says whether no value satisfies both; used for "oneOf".
  using AreDisjoint =
      std::function<bool(const Conjunction &, const Conjunction &)>;
  Conjunctions(SchemaDocument &document, ConstraintBudget &budget,
               AreDisjoint areDisjoint)
      : document(document), budget(budget),
        areDisjoint(std::move(areDisjoint)) {}

  /// The alternatives of a value that must satisfy all of `goal`. Throws Error.
  std::vector<Conjunction> alternatives(const std::vector<SubschemaId> &goal);

private:
  /// A subschema on the way to another one, to find circles.
  struct Way {
    SubschemaId id;
    const Way *before;
  };
  /// An "anyOf" or "oneOf" that is not resolved.
  struct Pending {
    SubschemaId id;
    const char *keyword;
    const Way *way;
  };
  struct State {
    Conjunction all; // in the order in which they were found
    std::vector<Pending> pending;
  };
  SchemaDocument &document;
  ConstraintBudget &budget;
  AreDisjoint areDisjoint;
  std::vector<std::unique_ptr<Way>> ways; // of one resolution

  bool add(SubschemaId id, const Way *before, State &state, size_t depth);
  void resolve(State state, std::vector<Conjunction> &result, size_t depth);
  void checkOneOf(const State &state, const Pending &one, size_t depth);
};

} // namespace transfold::runtime::inline constrain
