// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Names in expressions and definitions, and in the tasks and interfaces of a
// model.

#include "compiler/spec/names/Scopes.h"
#include "compiler/spec/names/ScopeChecker.h"
#include "compiler/spec/names/TaskOptions.h"
#include "compiler/spec/syntax/Diagnostic.h"
#include "compiler/spec/syntax/Suggest.h"

#include <fmt/format.h>
#include <llvm/Support/SaveAndRestore.h>

using namespace transfold::spec;

using Role = Scope::Role;

/// After a mistake in the declarations of a file, errors about its names would
/// be consequences; they are checked for the index only.
static void checkFile(const File &file, const LoadedSpec &spec, Needs &needs,
                      Errors &errors, NameIndex *index) {
  Errors ofDeclarations, consequences;
  const TopLevel top(file, spec.libraries, ofDeclarations);
  if (index)
    index->noteTopLevel(top);
  if (ofDeclarations.empty())
    ScopeChecker(top, needs, errors, index).check();
  else if (index)
    ScopeChecker(top, needs, consequences, index).check();
  errors.add(std::move(ofDeclarations));
}

static void checkFiles(const LoadedSpec &spec, Errors &errors,
                       NameIndex *index) {
  Needs needs;
  for (auto &[path, library] : spec.libraries)
    checkFile(library, spec, needs, errors, index);
  checkFile(spec.main, spec, needs, errors, index);
}

void transfold::spec::checkScopes(const LoadedSpec &spec) {
  Errors errors;
  checkFiles(spec, errors, nullptr);
  errors.raise();
}

void transfold::spec::checkScopes(const LoadedSpec &spec, Errors &errors,
                                  NameIndex &index) {
  checkFiles(spec, errors, &index);
}

void ScopeChecker::check() {
  const Scope outside;
  const File &file = top.file;
  auto each = [&](const auto &items, auto check) {
    for (const auto &item : items) {
      current = &item;
      errors.attempt([&] { check(item); });
    }
    current = nullptr;
  };
  each(file.definitions, [&](const Definition &definition) {
    this->definition(definition, outside);
  });
  each(file.parts, [&](const Part &part) { parts({part}, outside); });
  each(file.weights, [&](const Weight &weight) { weights({weight}, outside); });
  each(file.blocks, [&](const Block &block) { this->block(block); });
  each(file.entries, [&](const Entry &entry) { this->entry(entry); });
  for (const Task &task : file.tasks)
    errors.attempt([&] { this->task(task); });
  for (const Interface &interface : file.interfaces)
    errors.attempt([&] { this->interface(interface); });
  errors.attempt([&] { containers(); });
  errors.attempt([&] { cycles(); });
}

//===----------------------------------------------------------------------===//
// Expressions
//===----------------------------------------------------------------------===//

void ScopeChecker::expressions(const std::vector<ExprPtr> &list,
                               const Scope &scope) {
  for (const ExprPtr &expr : list)
    expression(expr, scope);
}

void ScopeChecker::expression(const ExprPtr &expr, const Scope &scope) {
  if (!expr)
    return;
  if (expr->kind == ExprKind::Name)
    errors.attempt([&] { name(*expr, scope); });
  if (expr->kind == ExprKind::Sum) {
    Scope inner(&scope);
    errors.attempt([&] {
      needNewIndex(expr->text, expr->at, scope);
      inner.names.emplace(expr->text, Scope::Name{Role::Index, expr->at});
      llvm::SaveAndRestore restoreRange(range, expr->range);
      record(NameKind::Index, expr->text, expr->at);
    });
    return expressions(expr->operands, inner);
  }
  expressions(expr->operands, scope);
}

void ScopeChecker::name(const Expr &expr, const Scope &scope) {
  for (const Scope *s = &scope; s; s = s->outer)
    if (auto found = s->names.find(expr.text); found != s->names.end()) {
      if (s == whereScope && whereNeeds)
        whereNeeds->push_back({expr.text, expr.at});
      if (index)
        index->note(expr.at, found->second.place);
      return;
    }
  auto found = top.names.find(expr.text);
  if (found == top.names.end()) {
    if (primitives().count(expr.text))
      return;
    return undefined(expr.text, expr.at, scope);
  }

  const Declaration &declaration = found->second;
  recordUse(expr.at, expr.text);
  if (declaration.kind == NameKind::Block)
    throw SpecError(Code::BlockAsValue, expr.at,
                    fmt::format("`{}` is a block, not a value", expr.text),
                    {fmt::format("Declare a part of it and call that: parts "
                                 "NAME: {}",
                                 expr.text)});
  if (declaration.kind == NameKind::Constant) {
    auto here = top.constants.find(container ? *container : "");
    if (!container)
      constantsUsed.emplace(expr.text, expr.at);
    else if (here == top.constants.end() || !here->second.count(expr.text))
      throw SpecError(
          Code::MissingConstant, expr.at,
          fmt::format("config {} has no constant `{}`", *container, expr.text),
          {fmt::format("{} defines it for another container.",
                       describe(declaration.place))});
  }
  if (current)
    needs[current].push_back({expr.text, expr.at});
}

void ScopeChecker::undefined(const std::string &name, const Place &place,
                             const Scope &scope) {
  if (!undefinedNames.insert(name).second)
    return;
  std::set<std::string> candidates = primitives();
  std::vector<std::string> notes;
  for (const Scope *s = &scope; s; s = s->outer) {
    for (auto &[candidate, role] : s->names)
      candidates.insert(candidate);
    auto lost = s->lost.find(name);
    if (lost != s->lost.end() && notes.empty())
      notes.push_back(lost->second);
  }
  for (auto &[candidate, declaration] : top.names)
    candidates.insert(candidate);
  bool isClose = !nearest(name, candidates).empty();
  if (notes.empty() && !isClose && !top.file.isModel)
    notes.push_back("A library can use its parameters and its imports, but not "
                    "the constants of a model.");
  throw unknownName(Code::UndefinedName, place, name,
                    fmt::format("`{}` is not defined", name), candidates,
                    notes);
}

//===----------------------------------------------------------------------===//
// Headers and definitions
//===----------------------------------------------------------------------===//

void ScopeChecker::declareInHeader(const std::string &name, const Place &place,
                                   Role role, Scope &into, const void *node) {
  if (!into.names.emplace(name, Scope::Name{role, place}).second)
    throw SpecError(
        Code::DeclaredTwice, place,
        fmt::format("the head of {} has `{}` twice", into.owner, name));
  record(role, name, place, node);
}

void ScopeChecker::header(const std::vector<Parameter> &parameters,
                          Scope &into) {
  for (const Parameter &parameter : parameters)
    declareInHeader(parameter.name, parameter.place, Role::Parameter, into,
                    &parameter);
}

void ScopeChecker::headerShapes(const std::vector<Parameter> &parameters,
                                const Scope &scope) {
  for (const Parameter &parameter : parameters) {
    if (parameter.dims)
      expressions(*parameter.dims, scope);
  }
}

/// A default is evaluated where the definition stands, not at a call: it cannot
/// refer to another parameter.
void ScopeChecker::defaults(const std::vector<Parameter> &parameters,
                            const Scope &outer) {
  Scope scope(&outer);
  for (const Parameter &parameter : parameters)
    scope.lost.emplace(
        parameter.name,
        fmt::format("`{}` is a parameter, which a default cannot use.",
                    parameter.name));
  for (const Parameter &parameter : parameters)
    expression(parameter.defaultValue, scope);
}

/// A parameter of an inner function may have the name of an outer one. For an
/// index this is a mistake, because it is used next to the outer name.
void ScopeChecker::needNewIndex(const std::string &name, const Place &place,
                                const Scope &outer) {
  for (const Scope *s = &outer; s; s = s->outer)
    if (s->isHeader && s->names.count(name))
      throw SpecError(Code::HiddenName, place,
                      fmt::format("`{}` is in the head of {}: an index needs "
                                  "another name",
                                  name, s->owner));
}

/// Whether `name` has a value where it is defined by index, so that the
/// definition reads that one. Names of a `where` have none before it. At the
/// top level, a definition that reads itself is a cycle.
static bool hasValueBefore(const std::string &name, const Scope &outer) {
  if (!outer.outer)
    return true;
  for (const Scope *s = &outer; s; s = s->outer)
    if (auto found = s->names.find(name); found != s->names.end())
      return found->second.role != Role::Where;
  return false;
}

void ScopeChecker::definition(const Definition &definition,
                              const Scope &outer) {
  Scope head(&outer);
  head.isHeader = true;
  head.owner = "`" + definition.name + "`";
  llvm::SaveAndRestore restoreOwner(owner, head.owner);
  llvm::SaveAndRestore restoreRange(range, definition.range);
  if (definition.parameters)
    header(*definition.parameters, head);
  for (const IndexVariable &index : definition.indices) {
    needNewIndex(index.name, index.place, outer);
    declareInHeader(index.name, index.place, Role::Index, head);
  }

  Scope inner(&head);
  // S[t] = … S[t - 1] …, unless the name has a value already.
  if (!definition.indices.empty() && !hasValueBefore(definition.name, outer))
    inner.names.emplace(definition.name,
                        Scope::Name{Role::Variable, definition.place});
  for (const Definition &local : definition.where)
    declareInside(local.name, local.place, Role::Where, inner, &local);
  if (definition.parameters) {
    headerShapes(*definition.parameters, inner);
    defaults(*definition.parameters, outer);
  }
  for (const IndexVariable &index : definition.indices)
    expression(index.bound, inner);
  where(definition.where, inner);
  expression(definition.value, inner);
}

void ScopeChecker::where(const std::vector<Definition> &definitions,
                         const Scope &scope) {
  std::map<std::string, std::vector<Need>> graph;
  std::map<std::string, Place> places;
  llvm::SaveAndRestore restoreNeeds(whereNeeds);
  llvm::SaveAndRestore restoreScope(whereScope);
  whereScope = &scope;
  for (const Definition &local : definitions) {
    whereNeeds = &graph[local.name];
    places[local.name] = local.place;
    definition(local, scope);
    whereScope = &scope;
  }
  auto cycle = findCycle(graph);
  if (!cycle.empty())
    throw SpecError(Code::CyclicDefinition, places[cycle.front()],
                    describeCycle(cycle));
}

/// Declares a name that a body or a `where` clause defines. It may hide a
/// constant of the file, but no name in the head that it belongs to.
void ScopeChecker::declareInside(const std::string &name, const Place &place,
                                 Role role, Scope &scope, const void *node) {
  for (const Scope *s = scope.outer; s; s = s->outer)
    if (s->isHeader && s->names.count(name))
      throw SpecError(Code::HiddenName, place,
                      fmt::format("`{}` is in the head of {}: a name "
                                  "inside cannot hide it",
                                  name, s->owner));
  for (const Scope *s = &scope; s && !s->isHeader; s = s->outer) {
    auto before = s->names.find(name);
    if (before == s->names.end())
      continue;
    bool replaced =
        role == Role::Variable && before->second.role == Role::Variable;
    if (!replaced)
      throw SpecError(Code::DeclaredTwice, place,
                      fmt::format("`{}` is declared twice", name));
  }
  const Place first =
      role == Role::Variable ? firstOf(name, place, scope) : place;
  scope.names.emplace(name, Scope::Name{role, first});
  if (first.line != place.line || first.column != place.column) {
    if (index)
      index->note(place, first, true);
  } else {
    record(role, name, place, node);
  }
}

//===----------------------------------------------------------------------===//
// Tasks and the interface
//===----------------------------------------------------------------------===//

void ScopeChecker::task(const Task &task) {
  std::set<std::string> kinds = taskKinds();
  if (!kinds.count(task.kind))
    throw unknownName(Code::UnknownTask, task.place, task.kind,
                      fmt::format("there is no task `{}`", task.kind), kinds,
                      {fmt::format("Tasks are {}.", fmt::join(kinds, ", "))});
  std::set<std::string> entries;
  for (const Entry &entry : top.file.entries)
    entries.insert(entry.name);
  for (size_t i = 0; i < task.entries.size(); ++i)
    recordUse(task.entryPlaces[i], task.entries[i]);
  for (size_t i = 0; i < task.entries.size(); ++i)
    if (!entries.count(task.entries[i]))
      throw unknownName(
          Code::UnknownEntry, task.entryPlaces[i], task.entries[i],
          fmt::format("there is no entry `{}`", task.entries[i]), entries);
  std::set<std::string> options = optionsOfTask(task.kind);
  for (const Definition &option : task.options) {
    if (!options.count(option.name))
      throw unknownName(
          Code::UnknownOption, option.place, option.name,
          fmt::format("task `{}` has no option `{}`", task.kind, option.name),
          options, {fmt::format("It has {}.", fmt::join(options, ", "))});
    expression(option.value, Scope());
  }
}

/// The names in a library's interface are not checked: its models are not
/// known.
void ScopeChecker::interface(const Interface &interface) {
  std::set<std::string> known;
  for (const Entry &entry : top.file.entries) {
    std::set<std::string> names;
    for (const Parameter &parameter : entry.parameters)
      names.insert(parameter.name);
    for (const Result &result : entry.results)
      names.insert(result.name);
    for (const std::string &name : names) {
      known.insert(name);
      known.insert(entry.name + "." + name);
    }
  }
  std::set<std::string> seen;
  for (size_t i = 0; i < interface.names.size(); ++i) {
    const std::string &name = interface.names[i].first;
    recordInterfaceName(name, interface.namePlaces[i]);
    if (!seen.insert(name).second)
      throw SpecError(Code::DeclaredTwice, interface.namePlaces[i],
                      fmt::format("the interface names `{}` twice", name));
    if (top.file.isModel && !known.count(name))
      throw unknownName(
          Code::UnknownInterfaceName, interface.namePlaces[i], name,
          fmt::format("no entry has an argument or a result `{}`", name),
          known);
  }
}
