// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a schema says about objects.

#pragma once

#include "runtime/constrain/automaton/Dfa.h"
#include "runtime/constrain/schema/Conjunctions.h"

#include <unordered_set>

namespace transfold::runtime::inline constrain {

/// The objects that a conjunction allows.
class ObjectRules {
public:
  static constexpr uint32_t unlimited = UINT32_MAX;

  /// Throws Error.
  ObjectRules(SchemaDocument &document, const Conjunction &all,
              ConstraintBudget &budget);

  /// Names of properties that have a schema or are required, in order.
  const std::vector<std::string> &names() const { return ordered; }
  bool isRequired(const std::string &name) const {
    return required.contains(name);
  }
  /// The subschemas that the value of a property must satisfy.
  std::vector<SubschemaId> goalOf(const std::string &name) const;
  /// The subschemas that every name must satisfy; empty: any name.
  const std::vector<SubschemaId> &nameGoal() const { return ofNames; }
  uint32_t least() const { return fewest; }
  uint32_t most() const { return largest; }
  /// Where "minProperties" is.
  SubschemaId placeOfLeast() const { return leastAt; }

  /// Properties with other names, by kinds of names, which share their goals.
  struct Others {
    Dfa names; // between the quotes
    std::vector<SubschemaId> goal;
  };
  /// `any`: the names that are possible at all.
  std::vector<Others> others(const Dfa &any) const;
  /// Whether certainly no other properties are allowed.
  bool isClosed() const;

private:
  struct PatternGoal {
    Dfa names;
    SubschemaId goal;
  };
  /// What one subschema says.
  struct Part {
    SubschemaId id;
    std::unordered_set<std::string_view> properties;
    std::vector<PatternGoal> patterns;
    std::optional<SubschemaId> rest; // additionalProperties
  };
  SchemaDocument &document;
  ConstraintBudget &budget;
  std::vector<Part> parts;
  std::vector<std::string> ordered;
  std::unordered_set<std::string> required;
  std::vector<SubschemaId> ofNames;
  uint32_t fewest = 0, largest = unlimited;
  SubschemaId leastAt = 0;

  void read(SubschemaId id, std::unordered_set<std::string_view> &known);
  void readRequired(SubschemaId id);
};

} // namespace transfold::runtime::inline constrain
