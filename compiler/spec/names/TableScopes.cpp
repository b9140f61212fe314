// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Names in the tables for containers: config … { } and names … { }.

#include "compiler/spec/names/LayoutCheck.h"
#include "compiler/spec/names/MatrixUse.h"
#include "compiler/spec/names/ScopeChecker.h"
#include "compiler/spec/syntax/Diagnostic.h"
#include "compiler/spec/syntax/ExprText.h"
#include "compiler/spec/syntax/Suggest.h"

#include <fmt/format.h>

#include <algorithm>

using namespace transfold::spec;

using Role = Scope::Role;

void ScopeChecker::containers() {
  static const std::set<std::string> known = {"hf", "gguf", "ct2"};
  for (auto &[name, place] : top.ownContainers())
    if (!known.count(name))
      throw unknownName(
          Code::UnknownContainer, place, name,
          fmt::format("there is no container `{}`", name), known,
          {fmt::format("Containers are {}.", fmt::join(known, ", "))});
  for (const Config &config : top.file.configs) {
    errors.attempt([&] { this->config(config); });
    container = nullptr;
  }
  if (top.file.isModel)
    missingConstants();
  for (const Names &names : top.file.names) {
    errors.attempt([&] { ownTable(names); });
    container = nullptr;
  }
  if (top.file.isModel)
    for (auto &[name, tables] : top.tables)
      importedLayouts(name);
}

//===----------------------------------------------------------------------===//
// Constants
//===----------------------------------------------------------------------===//

void ScopeChecker::config(const Config &config) {
  const Scope outside;
  container = &config.container;
  if (!config.architectures.empty() && !top.file.isModel)
    throw SpecError(Code::ForInLibrary, config.place,
                    "only a model can be `for` an architecture: "
                    "a library is for all models that use it");
  expression(config.condition, outside);
  for (const Definition &definition : config.definitions) {
    current = &definition;
    this->definition(definition, outside);
  }
  current = nullptr;
  expressions(config.expectations, outside);
  ignored(config.ignored, outside);
  for (const Definition &option : config.options)
    expression(option.value, outside);
  container = nullptr;
}

void ScopeChecker::ignored(const std::vector<Ignore> &list,
                           const Scope &scope) {
  for (const Ignore &ignore : list) {
    expressions(ignore.patterns, scope);
    expression(ignore.condition, scope);
  }
}

/// An imported table of constants suffices; the file's own may define none.
bool ScopeChecker::hasConstants(const std::string &box) const {
  return top.constants.count(box) != 0 ||
         std::any_of(
             top.file.configs.begin(), top.file.configs.end(),
             [&](const Config &config) { return config.container == box; });
}

/// Every constant that the equations use must have a value in each container
/// for which the model itself has tables.
void ScopeChecker::missingConstants() {
  for (auto &[name, place] : top.ownContainers()) {
    if (!hasConstants(name))
      continue; // reported where its `names` are
    auto constants = top.constants.find(name);
    for (auto &[constant, used] : constantsUsed)
      if (constants == top.constants.end() ||
          !constants->second.count(constant))
        errors.add(SpecError(
            Code::MissingConstant, place,
            fmt::format("config {} does not define `{}`", name, constant),
            {fmt::format("{}:{}: the equations use it.", describe(used),
                         used.column)}));
  }
}

//===----------------------------------------------------------------------===//
// Owners of weights
//===----------------------------------------------------------------------===//

/// Adds the weights, parts and definitions of a body to `into`.
static void collect(const Body &body, Owner &into) {
  for (const Statement &statement : body) {
    for (const Weight &weight : statement.weights)
      into.weights[weight.name] = &weight;
    for (const Part &part : statement.parts)
      into.parts[part.name] = &part;
    // The sizes that a block computes: d_k = d / h.
    if (statement.definition)
      into.scope.names.emplace(
          statement.definition->name,
          Scope::Name{Role::Variable, statement.definition->place});
    collect(statement.body, into);
    collect(statement.otherwise, into);
  }
}

Owner ScopeChecker::ownerOfBlock(const Block &block) const {
  Owner result{
      "block " + block.name, {}, {}, matrixUse(block.body).mixed, Scope()};
  for (size_t i = 0; i < block.statics.size(); ++i)
    result.scope.names.emplace(
        block.statics[i], Scope::Name{Role::Static, block.staticPlaces[i]});
  collect(block.body, result);
  return result;
}

Owner ScopeChecker::ownerOfModel() const {
  Owner result{"the model", {}, {}, matrixUse(top.file).mixed, Scope()};
  for (const Weight &weight : top.file.weights)
    result.weights[weight.name] = &weight;
  for (const Part &part : top.file.parts)
    result.parts[part.name] = &part;
  return result;
}

//===----------------------------------------------------------------------===//
// Tables
//===----------------------------------------------------------------------===//

void ScopeChecker::ownTable(const Names &names) {
  container = &names.container;
  begin("names " + names.container, names.range);
  if (!hasConstants(names.container) && top.file.isModel)
    throw SpecError(Code::NamesWithoutConfig, names.place,
                    fmt::format("names {0} without config {0}: there are no "
                                "constants for this container",
                                names.container));
  bool strict = top.file.isModel;
  const Table &table = names.table;
  Owner model = ownerOfModel();
  entries(table, model, model.scope, strict);
  for (size_t i = 0; i < table.sections.size(); ++i) {
    auto &[name, section] = table.sections[i];
    const Block *block = top.placedBlock(name);
    if (index && block)
      index->note(table.sectionPlaces[i], block->place);
    if (!block && strict) {
      std::set<std::string> blocks;
      for (auto &[candidate, declaration] : top.names)
        if (declaration.kind == NameKind::Block)
          blocks.insert(candidate);
      throw unknownName(
          Code::UnknownSection, table.sectionPlaces[i], name,
          fmt::format("names {} has a section for a block `{}`, which the "
                      "model does not have",
                      names.container, name),
          blocks);
    }
    if (!section->sections.empty())
      throw SpecError(Code::UnknownSection, section->sectionPlaces.front(),
                      "the sections of blocks cannot be nested",
                      {"Exceptions for one part have a prefix: cross = "
                       "\"attention/\" { … }."});
    Owner owner = block ? ownerOfBlock(*block) : Owner();
    entries(*section, owner, owner.scope, block != nullptr);
  }
  container = nullptr;
}

void ScopeChecker::entries(const Table &table, const Owner &owner,
                           const Scope &scope, bool strict) {
  std::map<std::string, Place> seen;
  for (const Binding &binding : table.bindings) {
    auto [before, isNew] = seen.emplace(binding.name, binding.place);
    if (!isNew)
      throw SpecError(
          Code::DeclaredTwice, binding.place,
          fmt::format("`{}` is placed twice", binding.name),
          {fmt::format("The first is on line {}.", before->second.line)});
    this->binding(binding, owner, scope, strict);
  }
  expressions(table.expectations, scope);
  ignored(table.ignored, scope);
}

void ScopeChecker::binding(const Binding &binding, const Owner &owner,
                           const Scope &outer, bool strict) {
  Scope scope(&outer);
  for (size_t i = 0; i < binding.indices.size(); ++i) {
    const Place &place = binding.indexPlaces[i];
    scope.names.emplace(binding.indices[i], Scope::Name{Role::Index, place});
    record(NameKind::Index, binding.indices[i], place);
  }
  expression(binding.source, scope);

  auto part = owner.parts.find(binding.name);
  if (part != owner.parts.end()) {
    if (index)
      index->note(binding.place, part->second->place);
    return partBinding(binding, *part->second, scope, strict);
  }
  auto weight = owner.weights.find(binding.name);
  if (weight == owner.weights.end()) {
    if (!strict)
      return;
    std::set<std::string> candidates;
    for (auto &[name, ignored] : owner.weights)
      candidates.insert(name);
    for (auto &[name, ignored] : owner.parts)
      candidates.insert(name);
    throw unknownName(Code::UnknownBinding, binding.place, binding.name,
                      fmt::format("{} has no weight and no part `{}`",
                                  owner.description, binding.name),
                      candidates);
  }
  if (binding.exceptions)
    throw SpecError(Code::BindingKind, binding.place,
                    fmt::format("`{}` is a weight: only a part has exceptions "
                                "in {{ }}",
                                binding.name));
  expression(binding.at, scope);
  if (index)
    index->note(binding.place, weight->second->place);
  if (binding.axes)
    for (const ExprPtr &axis : *binding.axes)
      recordNames(axis, scope);
  if (binding.axes)
    layoutNames(*weight->second, binding, scope);
  checkLayout(*weight->second, binding);
  size_t axes = weight->second->dims.size() - binding.indices.size();
  if (!binding.axes && axes == 2 && owner.mixed.count(binding.name))
    throw SpecError(Code::UnclearTranspose, binding.place,
                    fmt::format("{} is used right of @ and elsewhere, too: "
                                "give its layout with `as`",
                                binding.name));
}

void ScopeChecker::partBinding(const Binding &binding, const Part &part,
                               const Scope &scope, bool strict) {
  if (binding.axes || binding.at)
    throw SpecError(
        Code::BindingKind, binding.place,
        fmt::format("`{}` is a part: it has a prefix, but no axes", part.name));
  size_t indices = part.index.empty() ? 0 : 1;
  if (binding.indices.size() != indices)
    throw SpecError(
        Code::BindingKind, binding.place,
        indices ? fmt::format("`{0}` is a family of parts: {0}[{1}] = "
                              "\"….{{{1}}}.\"",
                              part.name, part.index)
                : fmt::format("`{}` is one part, not a family", part.name));
  if (!binding.exceptions)
    return;
  const Block *block = top.block(part.block);
  Owner owner = block ? ownerOfBlock(*block) : Owner();
  owner.scope.outer = &scope;
  entries(*binding.exceptions, owner, owner.scope, strict && block);
}

/// Checks the names in `as`: declared axes, factors of a split axis, or
/// constants.
void ScopeChecker::layoutNames(const Weight &weight, const Binding &binding,
                               const Scope &scope) {
  std::set<std::string> axes;
  for (const AxisFactor &factor : declaredFactors(weight, binding))
    axes.insert(factor.key);
  for (const AxisFactor &factor : undeclaredFactors(weight, binding)) {
    ExprPtr expr = factor.expr;
    while (expr->kind == ExprKind::Transpose)
      expr = expr->operands[0];
    if (expr->kind != ExprKind::Name) {
      expression(expr, scope);
      continue;
    }
    bool known = top.names.count(expr->text);
    for (const Scope *s = &scope; s && !known; s = s->outer)
      known = s->names.count(expr->text);
    if (!known && !axes.count(expr->text))
      throw unknownName(
          Code::UnknownAxis, expr->at, expr->text,
          fmt::format("`{}` is neither an axis of {}{} nor a constant",
                      expr->text, weight.name, text(weight.dims)),
          axes);
  }
}

/// Checks the model's weights against imported tables, except where its own
/// tables replace their bindings.
void ScopeChecker::importedLayouts(const std::string &container) {
  std::map<std::pair<std::string, std::string>, const Binding *> effective;
  for (const Table *table : top.tables.at(container)) {
    for (const Binding &binding : table->bindings)
      effective[{"", binding.name}] = &binding;
    for (auto &[block, section] : table->sections)
      for (const Binding &binding : section->bindings)
        effective[{block, binding.name}] = &binding;
  }
  Owner model = ownerOfModel();
  std::map<std::string, Owner> blocks;
  for (auto &[key, binding] : effective) {
    if (binding->place.source == top.file.source)
      continue; // checked with its table
    const Owner *owner = &model;
    if (!key.first.empty()) {
      const Block *block = top.block(key.first);
      if (!block)
        continue;
      owner =
          &blocks.try_emplace(key.first, ownerOfBlock(*block)).first->second;
    }
    auto part = owner->parts.find(key.second);
    if (index && part != owner->parts.end())
      index->note(binding->place, part->second->place);
    auto weight = owner->weights.find(key.second);
    if (weight == owner->weights.end())
      continue;
    if (index)
      index->note(binding->place, weight->second->place);
    try {
      checkLayout(*weight->second, *binding);
    } catch (const SpecError &error) {
      throw error.withNotes({fmt::format(
          "{}: {} of {} is declared here; names {} of the model may place it "
          "otherwise.",
          describe(weight->second->place), key.second, owner->description,
          container)});
    }
  }
}
