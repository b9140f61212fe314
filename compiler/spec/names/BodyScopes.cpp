// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Names in the bodies of blocks and entries, where statements run in order.

#include "compiler/spec/names/ScopeChecker.h"
#include "compiler/spec/syntax/Diagnostic.h"
#include "compiler/spec/syntax/Suggest.h"

#include <fmt/format.h>
#include <llvm/Support/SaveAndRestore.h>

using namespace transfold::spec;

using Role = Scope::Role;

//===----------------------------------------------------------------------===//
// Parts and weights
//===----------------------------------------------------------------------===//

void ScopeChecker::parts(const std::vector<Part> &parts, const Scope &scope) {
  for (const Part &part : parts) {
    auto found = top.names.find(part.block);
    recordUse(part.blockPlace, part.block);
    const Block *block = top.block(part.block);
    if (!block) {
      std::set<std::string> blocks;
      for (auto &[name, declaration] : top.names)
        if (declaration.kind == NameKind::Block)
          blocks.insert(name);
      if (found != top.names.end())
        throw SpecError(Code::UndefinedBlock, part.blockPlace,
                        fmt::format("`{}` is not a block", part.block));
      throw unknownName(Code::UndefinedBlock, part.blockPlace, part.block,
                        fmt::format("there is no block `{}`", part.block),
                        blocks);
    }
    if (part.arguments.size() != block->statics.size())
      throw SpecError(
          Code::StaticCount, part.blockPlace,
          fmt::format("block {} takes {} static parameters, {} given",
                      part.block, block->statics.size(), part.arguments.size()),
          block->statics.empty() ? std::vector<std::string>()
                                 : std::vector<std::string>{fmt::format(
                                       "It is declared as {}[{}].", part.block,
                                       fmt::join(block->statics, ", "))});
    expression(part.count, scope);
    Scope inner(&scope);
    if (!part.index.empty()) {
      inner.names.emplace(part.index,
                          Scope::Name{Role::Index, part.indexPlace});
      record(NameKind::Index, part.index, part.indexPlace);
    }
    expressions(part.arguments, inner);
    expression(part.condition, inner);
    if (current)
      needs[current].push_back({part.block, part.blockPlace});
  }
}

void ScopeChecker::weights(const std::vector<Weight> &weights,
                           const Scope &scope) {
  for (const Weight &weight : weights) {
    expressions(weight.dims, scope);
    expression(weight.condition, scope);
    expression(weight.otherwise, scope);
  }
}

//===----------------------------------------------------------------------===//
// Bodies
//===----------------------------------------------------------------------===//

/// Whether every path through the body ends in `return`.
static bool returns(const Body &body) {
  if (body.empty())
    return false;
  const Statement &last = body.back();
  return last.kind == StatementKind::Return ||
         (last.kind == StatementKind::If && returns(last.body) &&
          returns(last.otherwise));
}

void ScopeChecker::body(const Body &body, Scope &scope, size_t results,
                        bool inLoop) {
  for (const Statement &statement : body) {
    bool isGood = errors.attempt(
        [&] { this->statement(statement, scope, results, inLoop); });
    // The statements that follow may use the name.
    if (!isGood && statement.definition)
      scope.names.emplace(
          statement.definition->name,
          Scope::Name{Role::Variable, statement.definition->place});
    bool ends = statement.kind == StatementKind::Return ||
                (statement.kind == StatementKind::If && returns({statement}));
    if (ends && &statement != &body.back())
      throw SpecError(Code::Unreachable, (&statement + 1)->range.begin,
                      "this is never reached: the statement before it returns");
  }
}

void ScopeChecker::statement(const Statement &statement, Scope &scope,
                             size_t results, bool inLoop) {
  switch (statement.kind) {
  case StatementKind::Parts:
    for (const Part &part : statement.parts) {
      errors.attempt([&] { parts({part}, scope); });
      declareInside(part.name, part.place, Role::Part, scope, &part);
    }
    return;
  case StatementKind::Weights:
    for (const Weight &weight : statement.weights) {
      weights({weight}, scope);
      declareInside(weight.name, weight.place, Role::Weight, scope, &weight);
    }
    return;
  case StatementKind::Define:
    return define(*statement.definition, scope);
  case StatementKind::Return:
    if (inLoop)
      throw SpecError(
          Code::ReturnInLoop, statement.range.begin, "a loop cannot return",
          {"Give the value a name, and return that after the loop."});
    expressions(statement.values, scope);
    if (statement.values.size() != results)
      throw SpecError(Code::ReturnCount, statement.range.begin,
                      fmt::format("{} values are returned, {} declared",
                                  statement.values.size(), results));
    return;
  case StatementKind::For:
    return loop(statement, scope, results);
  case StatementKind::If:
    return branches(statement, scope, results, inLoop);
  }
}

/// `x = …` may replace an earlier x, including a parameter, but neither a
/// weight nor a part.
void ScopeChecker::define(const Definition &definition, Scope &scope) {
  this->definition(definition, scope);
  bool plain = !definition.parameters && definition.indices.empty();
  for (const Scope *s = &scope; s; s = s->outer) {
    auto before = s->names.find(definition.name);
    if (before == s->names.end())
      continue;
    const Scope::Name &name = before->second;
    if (name.role == Role::Weight || name.role == Role::Part)
      throw SpecError(
          Code::SetDeclared, definition.place,
          fmt::format("`{}` is a {} and cannot be set", definition.name,
                      name.role == Role::Weight ? "weight" : "part"));
    if (name.role == Role::Parameter && s->isHeader && plain) {
      scope.names.emplace(definition.name,
                          Scope::Name{Role::Variable, name.place});
      if (index)
        index->note(definition.place, name.place, true);
      return;
    }
    break;
  }
  declareInside(definition.name, definition.place, Role::Variable, scope,
                &definition);
}

/// Throws SpecError for weights and parts that are declared inside a loop.
static void checkLoopBody(const Body &body) {
  for (const Statement &statement : body) {
    if (statement.kind == StatementKind::Parts ||
        statement.kind == StatementKind::Weights)
      throw SpecError(
          Code::DeclarationInLoop, statement.range.begin,
          "weights and parts must be declared outside of loops",
          {"A family has one for each iteration: parts layers[l < L]: layer."});
    checkLoopBody(statement.body);
    checkLoopBody(statement.otherwise);
  }
}

void ScopeChecker::loop(const Statement &statement, Scope &scope,
                        size_t results) {
  checkLoopBody(statement.body);
  expression(statement.condition, scope);
  Scope inner(&scope);
  {
    llvm::SaveAndRestore restoreRange(range, statement.range);
    declareInside(statement.variable, statement.variablePlace, Role::Index,
                  inner);
  }
  body(statement.body, inner, results, true);
  for (auto &[name, role] : inner.names)
    scope.lost.emplace(
        name, name == statement.variable
                  ? fmt::format(
                        "`{}` is the variable of a loop that has ended.", name)
                  : fmt::format("`{}` is set only inside a loop. A value that "
                                "a loop carries must be set before the loop.",
                                name));
}

/// Names that both branches set are visible after the statement.
void ScopeChecker::branches(const Statement &statement, Scope &scope,
                            size_t results, bool inLoop) {
  expression(statement.condition, scope);
  Scope yes(&scope), no(&scope);
  body(statement.body, yes, results, inLoop);
  body(statement.otherwise, no, results, inLoop);
  bool yesReturns = returns(statement.body),
       noReturns = returns(statement.otherwise);
  std::map<std::string, Scope::Name> all = yes.names;
  all.insert(no.names.begin(), no.names.end());
  for (auto &[name, role] : all) {
    if ((yesReturns || yes.names.count(name)) &&
        (noReturns || no.names.count(name)))
      scope.names.emplace(name, role);
    else
      scope.lost.emplace(name, fmt::format("`{}` is set in one branch of an "
                                           "`if` only.",
                                           name));
  }
}

/// Throws SpecError unless every path through the body returns; `owner` names
/// it in the message.
static void checkReturns(const Body &body, const std::string &owner,
                         const Place &place) {
  if (!returns(body))
    throw SpecError(Code::MissingReturn, place,
                    fmt::format("{} does not end with `return`", owner));
}

void ScopeChecker::begin(const std::string &name, const Range &where) {
  owner = name;
  range = where;
  variables.clear();
}

void ScopeChecker::block(const Block &block) {
  current = &block;
  Scope head;
  head.isHeader = true;
  head.owner = "block " + block.name;
  begin(head.owner, block.range);
  for (size_t i = 0; i < block.statics.size(); ++i)
    declareInHeader(block.statics[i], block.staticPlaces[i], Role::Static,
                    head);
  Scope statics = head;
  header(block.parameters, head);
  headerShapes(block.parameters, head);
  defaults(block.parameters, statics);
  expressions(block.result, head);
  Scope inner(&head);
  body(block.body, inner, 1, false);
  checkReturns(block.body, head.owner, block.place);
}

void ScopeChecker::entry(const Entry &entry) {
  current = &entry;
  Scope head;
  head.isHeader = true;
  head.owner = "entry " + entry.name;
  begin(head.owner, entry.range);
  header(entry.parameters, head);
  headerShapes(entry.parameters, head);
  defaults(entry.parameters, Scope());
  for (const Result &result : entry.results) {
    expressions(result.dims, head);
    record(NameKind::Result, result.name, result.place, &result);
  }
  expression(entry.condition, Scope());
  Scope inner(&head);
  body(entry.body, inner, entry.results.size(), false);
  checkReturns(entry.body, head.owner, entry.place);
}
