// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From a schema to a grammar of the texts of its values. A rule is made for
// each conjunction of subschemas that a value must satisfy; what is in a list
// or an object is another rule, which is made later, so that schemas may be
// recursive.

#pragma once

#include "runtime/constrain/grammar/Grammar.h"
#include "runtime/constrain/schema/Conjunctions.h"
#include "runtime/constrain/schema/ValueTypes.h"

#include <deque>

namespace transfold::runtime::inline constrain {

class ObjectRules;

/// Compiles one schema.
class SchemaCompiler {
public:
  /// The rules are added to `grammar`. The schema must outlive this object.
  SchemaCompiler(const SchemaJson &schema, Grammar &grammar,
                 ConstraintBudget &budget);

  /// Returns the rule of the schema's values. Throws Error that names the
  /// keyword and its place.
  uint32_t run();
  /// Finishes the grammar, whose texts are those of the rule. Throws Error,
  /// also if there are none.
  void finish(uint32_t root);

private:
  using Goal = std::vector<SubschemaId>;

  ConstraintBudget &budget;
  SchemaDocument document;
  Conjunctions conjunctions;
  Grammar &grammar;
  std::map<Goal, uint32_t> ruleOfGoals;
  std::map<Conjunction, uint32_t> ruleOfConjunctions;
  std::deque<std::pair<Conjunction, uint32_t>> waiting; // rules without bodies
  SubschemaId place = 0; // of which values are being compiled, for messages

  // The rules of values.
  uint32_t ruleOf(Goal goal);
  uint32_t ruleOfConjunction(const Conjunction &all);
  void makeBody(const Conjunction &all, uint32_t rule);
  /// Nodes that read a value of one type, and go on at the end of the rule.
  uint32_t listedValues(const std::vector<const SchemaJson *> &values);
  uint32_t constants(ValueTypes types);
  uint32_t number(const Conjunction &all, ValueTypes types);
  uint32_t string(const Conjunction &all);
  uint32_t array(const Conjunction &all);
  uint32_t object(const Conjunction &all);

  // Parts of them.
  std::map<std::string, uint32_t> automata; // of regular expressions
  uint32_t expression(const std::string &regex);
  uint32_t characterAutomaton();
  /// A comma, with or without a space, and the value.
  uint32_t commaRule(uint32_t value);
  struct ObjectGraph;
  std::map<std::string, uint32_t> keys; // by their text
  /// A name with its colon, and with a comma before it.
  uint32_t keyAutomaton(const std::string &quoted, bool hasComma);
  Dfa possibleNames(const ObjectRules &rules);
  uint32_t otherPropertyRule(const ObjectRules &rules, const Dfa &names);
};

/// The grammar of the texts of a schema's values. Throws Error whose message is
/// a sentence without its end: "the schema's 'not' at '#' is not supported".
Grammar compileSchema(const SchemaJson &schema, ConstraintBudget &budget);

/// Adds the rules of a schema's values to a grammar that is not finished, and
/// returns the rule of the values. Throws Error in the same way, but not if
/// there are no values: then the rule cannot be completed.
uint32_t addSchema(Grammar &grammar, const SchemaJson &schema,
                   ConstraintBudget &budget);

} // namespace transfold::runtime::inline constrain
