// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/constrain/Constraint.h"

#include "base/text/JsonText.h"
#include "runtime/constrain/automaton/Regex.h"
#include "runtime/constrain/lark/LarkGrammar.h"
#include "runtime/constrain/schema/SchemaCompiler.h"

namespace transfold::runtime::inline constrain {

/// Compiles within the usual budget; messages begin with `what`.
template <typename Compile>
static std::shared_ptr<const Grammar> compiled(std::string_view what,
                                               Compile compile) {
  ConstraintBudget budget;
  try {
    return std::make_shared<const Grammar>(compile(budget));
  } catch (const Error &error) {
    fail("{}{}", what, error.what());
  }
}

std::shared_ptr<const Grammar>
schemaConstraint(const nlohmann::ordered_json &schema) {
  return compiled("", [&](ConstraintBudget &budget) {
    return compileSchema(schema, budget);
  });
}

std::shared_ptr<const Grammar> schemaConstraint(std::string_view schema) {
  nlohmann::ordered_json json;
  try {
    json = parseJsonText(schema, {.depth = 100});
  } catch (const Error &error) {
    fail("the schema {}", error.what());
  }
  return schemaConstraint(json);
}

std::shared_ptr<const Grammar> objectConstraint() {
  return schemaConstraint(nlohmann::ordered_json{{"type", "object"}});
}

std::shared_ptr<const Grammar> regexConstraint(std::string_view regex) {
  return compiled("the regular expression ", [&](ConstraintBudget &budget) {
    Grammar grammar(budget);
    const uint32_t rule = grammar.addRule("the expression"),
                   automaton = grammar.addAutomaton(regexDfa(
                       regex, TextForm::Plain, RegexMatch::Whole, budget));
    grammar.setBody(rule, grammar.automaton(automaton, grammar.end()));
    if (!grammar.finish(rule))
      fail("matches no text");
    return grammar;
  });
}

std::shared_ptr<const Grammar> grammarConstraint(std::string_view grammar) {
  return compiled("the grammar ", [&](ConstraintBudget &budget) {
    return compileLark(grammar, budget);
  });
}

} // namespace transfold::runtime::inline constrain
