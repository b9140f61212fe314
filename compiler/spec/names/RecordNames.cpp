// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the scope checker adds to the index of names.

#include "compiler/spec/names/ScopeChecker.h"

using namespace transfold::spec;

using Role = Scope::Role;

static NameKind kindOfRole(Role role) {
  switch (role) {
  case Role::Parameter:
    return NameKind::Parameter;
  case Role::Static:
    return NameKind::Static;
  case Role::Index:
    return NameKind::Index;
  case Role::Variable:
    return NameKind::Variable;
  case Role::Weight:
    return NameKind::Weight;
  case Role::Part:
    return NameKind::Part;
  case Role::Where:
    return NameKind::Local;
  }
  return NameKind::Variable;
}

void ScopeChecker::record(Role role, const std::string &name,
                          const Place &place, const void *node) {
  record(kindOfRole(role), name, place, node);
}

void ScopeChecker::record(NameKind kind, const std::string &name,
                          const Place &place, const void *node) {
  if (index)
    index->declare({kind, name, place, node, owner, range});
}

void ScopeChecker::recordUse(const Place &at, const std::string &topLevelName) {
  auto found = top.names.find(topLevelName);
  if (index && found != top.names.end())
    index->note(at, declaredAt(found->second));
}

std::optional<Place> ScopeChecker::declaredIn(const std::string &name,
                                              const Scope &scope) const {
  for (const Scope *s = &scope; s; s = s->outer)
    if (auto found = s->names.find(name); found != s->names.end())
      return found->second.place;
  auto found = top.names.find(name);
  if (found == top.names.end())
    return std::nullopt;
  return declaredAt(found->second);
}

void ScopeChecker::recordNames(const ExprPtr &expr, const Scope &scope) {
  if (!index || !expr)
    return;
  if (expr->kind == ExprKind::Name)
    if (auto place = declaredIn(expr->text, scope))
      index->note(expr->at, *place);
  for (const ExprPtr &operand : expr->operands)
    recordNames(operand, scope);
}

Place ScopeChecker::firstOf(const std::string &variable, const Place &place,
                            const Scope &scope) {
  for (const Scope *s = &scope; s; s = s->outer)
    if (auto found = s->names.find(variable); found != s->names.end())
      return found->second.place;
  return variables.emplace(variable, place).first->second;
}

void ScopeChecker::recordInterfaceName(const std::string &name,
                                       const Place &at) {
  if (!index)
    return;
  // `decode.tokens` is at the place of `decode`.
  recordUse(at, name.substr(0, name.find('.')));
  for (const Entry &entry : top.file.entries) {
    for (const Parameter &parameter : entry.parameters)
      if (parameter.name == name)
        return index->note(at, parameter.place);
    for (const Result &result : entry.results)
      if (result.name == name)
        return index->note(at, result.place);
  }
}
