// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Names in expressions and definitions, and in the tasks and interfaces of a
// model.

#include "compiler/spec/names/Scopes.h"
#include "compiler/spec/names/ScopeChecker.h"
#include "compiler/spec/names/TaskOptions.h"
#include "compiler/spec/syntax/Suggest.h"

#include <fmt/format.h>

using namespace transfold::spec;

using Role = Scope::Role;

void transfold::spec::checkScopes(const LoadedSpec &spec) {
  Needs needs;
  for (auto &[path, library] : spec.libraries)
    ScopeChecker(TopLevel(library, spec.libraries), needs).check();
  ScopeChecker(TopLevel(spec.main, spec.libraries), needs).check();
}

void ScopeChecker::check() {
  const Scope outside;
  const File &file = top.file;
  for (const Definition &definition : file.definitions) {
    current = &definition;
    this->definition(definition, outside);
  }
  for (const Part &part : file.parts) {
    current = &part;
    parts({part}, outside);
  }
  for (const Weight &weight : file.weights) {
    current = &weight;
    weights({weight}, outside);
  }
  for (const Block &block : file.blocks)
    this->block(block);
  for (const Entry &entry : file.entries)
    this->entry(entry);
  current = nullptr;
  for (const Task &task : file.tasks)
    this->task(task);
  for (const Interface &interface : file.interfaces)
    this->interface(interface);
  containers();
  cycles();
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
    name(*expr, scope);
  expressions(expr->operands, scope);
}

void ScopeChecker::name(const Expr &expr, const Scope &scope) {
  for (const Scope *s = &scope; s; s = s->outer)
    if (s->names.count(expr.text)) {
      if (s == whereScope && whereNeeds)
        whereNeeds->push_back({expr.text, expr.at});
      return;
    }
  auto found = top.names.find(expr.text);
  if (found == top.names.end()) {
    if (primitives().count(expr.text))
      return;
    undefined(expr.text, expr.at, scope);
  }

  const Declaration &declaration = found->second;
  if (declaration.kind == NameKind::Block)
    throw SpecError(expr.at,
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
          expr.at,
          fmt::format("config {} has no constant `{}`", *container, expr.text),
          {fmt::format("{} defines it for another container.",
                       describe(declaration.place))});
  }
  if (current)
    needs[current].push_back({expr.text, expr.at});
}

void ScopeChecker::undefined(const std::string &name, const Place &place,
                             const Scope &scope) {
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
  std::string suggestion = didYouMean(name, candidates);
  if (notes.empty() && suggestion.empty() && !top.file.isModel)
    notes.push_back("A library can use its parameters and its imports, but not "
                    "the constants of a model.");
  throw SpecError(place, fmt::format("`{}` is not defined{}", name, suggestion),
                  notes);
}

//===----------------------------------------------------------------------===//
// Headers and definitions
//===----------------------------------------------------------------------===//

void ScopeChecker::declareInHeader(const std::string &name, const Place &place,
                                   Role role, Scope &into) {
  if (!into.names.emplace(name, role).second)
    throw SpecError(
        place, fmt::format("the head of {} has `{}` twice", into.owner, name));
}

void ScopeChecker::header(const std::vector<Parameter> &parameters,
                          Scope &into) {
  for (const Parameter &parameter : parameters)
    declareInHeader(parameter.name, parameter.place, Role::Parameter, into);
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

void ScopeChecker::definition(const Definition &definition,
                              const Scope &outer) {
  Scope head(&outer);
  head.isHeader = true;
  head.owner = "`" + definition.name + "`";
  if (definition.parameters)
    header(*definition.parameters, head);
  for (const IndexVariable &index : definition.indices) {
    // A parameter of an inner function may have the name of an outer one. For
    // an index this is a mistake, because it is used next to the outer name.
    for (const Scope *s = &outer; s; s = s->outer)
      if (s->isHeader && s->names.count(index.name))
        throw SpecError(index.place,
                        fmt::format("`{}` is in the head of {}: an index needs "
                                    "another name",
                                    index.name, s->owner));
    declareInHeader(index.name, index.place, Role::Index, head);
  }

  Scope inner(&head);
  for (const Definition &local : definition.where)
    declareInside(local.name, local.place, Role::Where, inner);
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
  auto *outerNeeds = whereNeeds;
  auto *outerScope = whereScope;
  whereScope = &scope;
  for (const Definition &local : definitions) {
    whereNeeds = &graph[local.name];
    places[local.name] = local.place;
    definition(local, scope);
    whereScope = &scope;
  }
  whereNeeds = outerNeeds;
  whereScope = outerScope;
  auto cycle = findCycle(graph);
  if (!cycle.empty())
    throw SpecError(places[cycle.front()], describeCycle(cycle));
}

/// Declares a name that a body or a `where` clause defines. It may hide a
/// constant of the file, but no name in the head that it belongs to.
void ScopeChecker::declareInside(const std::string &name, const Place &place,
                                 Role role, Scope &scope) {
  for (const Scope *s = scope.outer; s; s = s->outer)
    if (s->isHeader && s->names.count(name))
      throw SpecError(place, fmt::format("`{}` is in the head of {}: a name "
                                         "inside cannot hide it",
                                         name, s->owner));
  for (const Scope *s = &scope; s && !s->isHeader; s = s->outer) {
    auto before = s->names.find(name);
    if (before == s->names.end())
      continue;
    bool replaced = role == Role::Variable && before->second == Role::Variable;
    if (!replaced)
      throw SpecError(place, fmt::format("`{}` is declared twice", name));
  }
  scope.names.emplace(name, role);
}

//===----------------------------------------------------------------------===//
// Tasks and the interface
//===----------------------------------------------------------------------===//

void ScopeChecker::task(const Task &task) {
  std::set<std::string> kinds = taskKinds();
  if (!kinds.count(task.kind))
    throw SpecError(task.place,
                    fmt::format("there is no task `{}`{}", task.kind,
                                didYouMean(task.kind, kinds)),
                    {fmt::format("Tasks are {}.", fmt::join(kinds, ", "))});
  std::set<std::string> entries;
  for (const Entry &entry : top.file.entries)
    entries.insert(entry.name);
  for (size_t i = 0; i < task.entries.size(); ++i)
    if (!entries.count(task.entries[i]))
      throw SpecError(task.entryPlaces[i],
                      fmt::format("there is no entry `{}`{}", task.entries[i],
                                  didYouMean(task.entries[i], entries)));
  std::set<std::string> options = optionsOfTask(task.kind);
  for (const Definition &option : task.options) {
    if (!options.count(option.name))
      throw SpecError(option.place,
                      fmt::format("task `{}` has no option `{}`{}", task.kind,
                                  option.name,
                                  didYouMean(option.name, options)),
                      {fmt::format("It has {}.", fmt::join(options, ", "))});
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
    if (!seen.insert(name).second)
      throw SpecError(interface.namePlaces[i],
                      fmt::format("the interface names `{}` twice", name));
    if (top.file.isModel && !known.count(name))
      throw SpecError(interface.namePlaces[i],
                      fmt::format("no entry has an argument or a result `{}`{}",
                                  name, didYouMean(name, known)));
  }
}
