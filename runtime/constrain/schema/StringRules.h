// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a schema says about strings.

#pragma once

#include "runtime/constrain/automaton/Nfa.h"
#include "runtime/constrain/schema/Conjunctions.h"

namespace transfold::runtime::inline constrain {

/// The strings that a conjunction allows.
class StringRules {
public:
  static constexpr uint32_t unlimited = UINT32_MAX;

  /// Throws Error.
  StringRules(const SchemaDocument &document, const Conjunction &all);

  uint32_t least() const { return shortest; }
  uint32_t most() const { return longest; }
  /// Whether only the length matters.
  bool isFree() const { return patterns.empty(); }
  /// The texts between the quotes, each in one form.
  Dfa texts(ConstraintBudget &budget) const;
  bool admits(const std::string &text, ConstraintBudget &budget) const;
  bool isDisjointFrom(const StringRules &other, ConstraintBudget &budget) const;

private:
  /// A "pattern" or a "format".
  struct Pattern {
    SubschemaId id;
    const char *keyword;
    std::string regex;
  };
  const SchemaDocument &document;
  uint32_t shortest = 0, longest = unlimited;
  std::vector<Pattern> patterns;

  Dfa ofPatterns(ConstraintBudget &budget) const;
};

/// The texts that the "pattern" of a subschema, or a name of its
/// "patternProperties", matches. Throws Error that names the keyword.
Dfa patternTexts(const SchemaDocument &document, SubschemaId id,
                 const char *keyword, const std::string &regex,
                 ConstraintBudget &budget);
/// Every text, each in one form.
Dfa anyTexts(ConstraintBudget &budget);

} // namespace transfold::runtime::inline constrain
