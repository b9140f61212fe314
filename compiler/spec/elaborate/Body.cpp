// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Statements. Loops are in Loops.cpp.

#include "compiler/spec/elaborate/Elaborator.h"

#include "compiler/spec/syntax/Diagnostic.h"

#include <algorithm>

namespace transfold::spec {

/// With `continueAfterErrors`, an error ends its statement only. TooManySteps
/// always ends everything: the statements that follow would reach the limit
/// again.
Elaborator::Flow Elaborator::run(const Body &body, const Environment *scope) {
  Flow flow{scope, std::nullopt};
  for (const Statement &statement : body) {
    try {
      flow = runStatement(statement, flow.scope);
    } catch (const SpecError &error) {
      if (!errors || error.first().code == Code::TooManySteps)
        throw;
      errors->add(error);
      flow = afterError(statement, flow.scope);
    } catch (const FaultyValueUsed &) {
      flow = afterError(statement, flow.scope);
    }
    if (flow.result)
      break;
  }
  return flow;
}

/// Whether some path through the body returns.
static bool mayReturn(const Body &body) {
  return std::ranges::any_of(body, [](const Statement &statement) {
    return statement.kind == StatementKind::Return ||
           mayReturn(statement.body) || mayReturn(statement.otherwise);
  });
}

/// The names that the statement would have defined are faulty, and a body whose
/// result is unknown has no value.
Elaborator::Flow Elaborator::afterError(const Statement &statement,
                                        const Environment *scope) {
  bool declares = statement.kind == StatementKind::Parts ||
                  statement.kind == StatementKind::Weights;
  if (mayReturn({statement}) || declares)
    throw FaultyValueUsed();
  Environment *inner = newEnvironment(scope);
  std::set<std::string> names;
  assignedNames({statement}, names);
  for (const std::string &name : names)
    bind(*inner, name, Faulty());
  return {inner, std::nullopt};
}

/// Blocks are walked once for each call, and loops once for each round: the
/// first shape is shown.
void Elaborator::noteShape(const Definition &definition,
                           const Value &value) const {
  if (!shapes)
    return;
  std::string text = kindOf(value);
  if (auto *tensor = value.tensor())
    text = shown(*tensor);
  else if (auto *statics = value.statics(); statics && statics->asSize())
    text = symbols.show(*statics->asSize());
  shapes->emplace(keyOf(definition.place), std::move(text));
}

void Elaborator::assignedNames(const Body &body, std::set<std::string> &names) {
  for (const Statement &statement : body) {
    if (statement.definition)
      names.insert(statement.definition->name);
    assignedNames(statement.body, names);
    assignedNames(statement.otherwise, names);
  }
}

Elaborator::Flow Elaborator::runStatement(const Statement &statement,
                                          const Environment *scope) {
  switch (statement.kind) {
  case StatementKind::Parts: {
    Environment *inner = newEnvironment(scope);
    declareParts(statement.parts, *inner);
    return {inner, std::nullopt};
  }
  case StatementKind::Weights: {
    Environment *inner = newEnvironment(scope);
    declareWeights(statement.weights, *inner);
    return {inner, std::nullopt};
  }
  case StatementKind::Define: {
    Value value = define(*statement.definition, scope);
    noteShape(*statement.definition, value);
    Environment *inner = newEnvironment(scope);
    bind(*inner, statement.definition->name, std::move(value));
    return {inner, std::nullopt};
  }
  case StatementKind::Return: {
    std::vector<Value> values;
    for (const ExprPtr &value : statement.values)
      values.push_back(evaluate(*value, scope));
    return {scope, std::move(values)};
  }
  case StatementKind::For:
    return {loop(statement, scope), std::nullopt};
  case StatementKind::If: {
    auto truth = condition(*statement.condition, scope);
    if (truth)
      return run(*truth ? statement.body : statement.otherwise, scope);
    // If the condition is not known without a checkpoint, both branches are
    // walked, so that mistakes in either are found.
    Within within(branches);
    Flow flow = run(statement.body, scope);
    Flow other = run(statement.otherwise, scope);
    return flow.result || !other.result ? flow : other;
  }
  }
  return {scope, std::nullopt};
}

} // namespace transfold::spec
