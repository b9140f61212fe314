// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/constrain/schema/SchemaCompiler.h"

#include "runtime/constrain/automaton/JsonString.h"
#include "runtime/constrain/automaton/Regex.h"
#include "runtime/constrain/schema/AllowedValues.h"
#include "runtime/constrain/schema/Disjointness.h"
#include "runtime/constrain/schema/NumberRules.h"
#include "runtime/constrain/schema/StringRules.h"

#include <algorithm>

namespace transfold::runtime::inline constrain {

SchemaCompiler::SchemaCompiler(const SchemaJson &schema, Grammar &grammar,
                               ConstraintBudget &budget)
    : budget(budget), document(schema, budget),
      conjunctions(document, budget,
                   [this](const Conjunction &one, const Conjunction &other) {
                     return areDisjoint(document, one, other, this->budget);
                   }),
      grammar(grammar) {}

//===----------------------------------------------------------------------===//
// Rules
//===----------------------------------------------------------------------===//

uint32_t SchemaCompiler::ruleOf(Goal goal) {
  std::ranges::sort(goal);
  goal.erase(std::ranges::unique(goal).begin(), goal.end());
  if (auto found = ruleOfGoals.find(goal); found != ruleOfGoals.end())
    return found->second;
  budget.memory(128 + goal.size() * sizeof(SubschemaId));
  const auto alternatives = conjunctions.alternatives(goal);
  uint32_t rule = 0;
  if (alternatives.size() == 1) {
    rule = ruleOfConjunction(alternatives[0]);
  } else {
    rule = grammar.addRule({});
    std::vector<uint32_t> ways;
    for (const Conjunction &each : alternatives)
      ways.push_back(grammar.call(ruleOfConjunction(each), grammar.end()));
    grammar.setBody(rule, grammar.choice(std::move(ways)));
  }
  ruleOfGoals.emplace(std::move(goal), rule);
  return rule;
}

uint32_t SchemaCompiler::ruleOfConjunction(const Conjunction &all) {
  auto [found, isNew] = ruleOfConjunctions.try_emplace(all);
  if (isNew) {
    budget.memory(256 + 2 * all.size() * sizeof(SubschemaId));
    found->second = grammar.addRule({});
    waiting.emplace_back(all, found->second);
  }
  return found->second;
}

void SchemaCompiler::makeBody(const Conjunction &all, uint32_t rule) {
  if (!all.empty())
    place = all.back();
  if (const auto values = allowedValues(document, all, budget))
    return grammar.setBody(rule, listedValues(*values));
  const ValueTypes types = typesOf(document, all);
  std::vector<uint32_t> ways;
  if (types & (nullType | booleanType))
    ways.push_back(constants(types));
  if (types & (integerType | fractionType))
    ways.push_back(number(all, types));
  if (types & stringType)
    ways.push_back(string(all));
  if (types & arrayType)
    ways.push_back(array(all));
  if (types & objectType)
    ways.push_back(object(all));
  grammar.setBody(rule, grammar.choice(std::move(ways)));
}

uint32_t SchemaCompiler::run() {
  try {
    const uint32_t root = ruleOf({document.root()});
    while (!waiting.empty()) {
      const auto [all, rule] = std::move(waiting.front());
      waiting.pop_front();
      makeBody(all, rule);
    }
    return root;
  } catch (const TooMuchToCompile &error) {
    document.refuse(place, "", error.what());
  }
}

void SchemaCompiler::finish(uint32_t root) {
  try {
    if (!grammar.finish(root))
      document.refuse(document.root(), "", "admits no value at all");
  } catch (const TooMuchToCompile &error) {
    document.refuse(document.root(), "", error.what());
  }
}

//===----------------------------------------------------------------------===//
// Scalars
//===----------------------------------------------------------------------===//

uint32_t SchemaCompiler::expression(const std::string &regex) {
  auto [found, isNew] = automata.try_emplace(regex);
  if (isNew)
    found->second = grammar.addAutomaton(
        regexDfa(regex, TextForm::Plain, RegexMatch::Whole, budget));
  return found->second;
}

uint32_t
SchemaCompiler::listedValues(const std::vector<const SchemaJson *> &values) {
  std::vector<std::string> texts;
  for (const SchemaJson *value : values) {
    texts.push_back(textOfValue(*value));
    budget.work(texts.back().size());
  }
  return grammar.automaton(
      grammar.addAutomaton(Dfa::ofTexts(std::move(texts), budget)),
      grammar.end());
}

uint32_t SchemaCompiler::constants(ValueTypes types) {
  std::vector<std::string> texts;
  if (types & nullType)
    texts.emplace_back("null");
  if (types & booleanType)
    texts.insert(texts.end(), {"true", "false"});
  return grammar.automaton(
      grammar.addAutomaton(Dfa::ofTexts(std::move(texts), budget)),
      grammar.end());
}

uint32_t SchemaCompiler::number(const Conjunction &all, ValueTypes types) {
  const NumberRules rules(document, all);
  return grammar.automaton(grammar.addAutomaton(types & fractionType
                                                    ? rules.numbers(budget)
                                                    : rules.integers(budget)),
                           grammar.end());
}

uint32_t SchemaCompiler::characterAutomaton() {
  return expression(std::string(anyJsonCharacter));
}

uint32_t SchemaCompiler::string(const Conjunction &all) {
  const StringRules rules(document, all);
  const uint32_t close = grammar.text("\"", grammar.end());
  return grammar.text(
      "\"", rules.isFree()
                ? grammar.repeat(characterAutomaton(), rules.least(),
                                 rules.most(), close)
                : grammar.automaton(grammar.addAutomaton(rules.texts(budget)),
                                    close));
}

Grammar compileSchema(const SchemaJson &schema, ConstraintBudget &budget) {
  Grammar grammar(budget);
  SchemaCompiler compiler(schema, grammar, budget);
  compiler.finish(compiler.run());
  return grammar;
}

uint32_t addSchema(Grammar &grammar, const SchemaJson &schema,
                   ConstraintBudget &budget) {
  return SchemaCompiler(schema, grammar, budget).run();
}

} // namespace transfold::runtime::inline constrain
