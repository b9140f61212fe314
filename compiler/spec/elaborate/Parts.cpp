// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Parts and weights: the place of an equation in the tree of parts, the tensors
// that the tables assign to that place, and how these are stored.

#include "compiler/spec/elaborate/Elaborator.h"
#include "compiler/spec/names/MatrixUse.h"
#include "compiler/spec/syntax/Diagnostic.h"
#include "compiler/spec/syntax/ExprText.h"
#include "compiler/spec/syntax/Parser.h"

#include <fmt/format.h>

#include <algorithm>

namespace transfold::spec {

//===----------------------------------------------------------------------===//
// Declarations
//===----------------------------------------------------------------------===//

/// Whether a condition depends on the index of the part's own family, so that
/// it must be evaluated for each member.
static bool mentions(const Expr &expr, const std::string &name) {
  if (expr.kind == ExprKind::Name && expr.text == name)
    return true;
  return std::any_of(expr.operands.begin(), expr.operands.end(),
                     [&](const ExprPtr &operand) {
                       return operand && mentions(*operand, name);
                     });
}

/// Parts are made on first use: a part that no equation calls needs no entry in
/// the tables.
void Elaborator::declareParts(const std::vector<Part> &parts,
                              Environment &scope) {
  const Environment *level = &scope;
  for (const Part &part : parts)
    bindLazily(scope, part.name, part.place, [=, this, &part]() -> Value {
      bool isOfMembers =
          part.condition && mentions(*part.condition, part.index);
      if (part.condition && !isOfMembers) {
        auto present = condition(*part.condition, level);
        if (present && !*present)
          return Absent{part.name, spec::text(*part.condition)};
      }
      if (part.index.empty())
        return PartReference{makeInstance(part, level, nullptr, nullptr)};
      Dim count = size(*part.count, level);
      if (checkpoint && !count.asNumber())
        needKnown(StaticValue::ofSize(count), *part.count);
      return PartFamily{part.name, count, spec::text(*part.count),
                        [=, this, &part](const Value &index, const Expr &at) {
                          return makeMember(part, level, index, at);
                        }};
    });
}

/// layers[3]; Absent if the condition of the family does not hold for this
/// member.
Value Elaborator::makeMember(const Part &part, const Environment *scope,
                             const Value &index, const Expr &at) {
  InstancePtr instance = makeInstance(part, scope, &index, &at);
  if (!part.condition || !mentions(*part.condition, part.index))
    return PartReference{instance};
  if (!index.statics())
    throw SpecError(
        Code::AbsentPart, at.at,
        fmt::format("which of the parts `{}` exist depends on `{}`, but here "
                    "all are used at once",
                    part.name, part.index),
        {"Use them one by one, in a loop, inside an `if` with that condition."},
        at.range);
  Environment *inner = newEnvironment(scope);
  bind(*inner, part.index, index);
  auto present = condition(*part.condition, inner);
  if (present && !*present)
    return Absent{fmt::format("{}[{}]", part.name, index.statics()->str()),
                  spec::text(*part.condition)};
  return PartReference{instance};
}

void Elaborator::declareWeights(const std::vector<Weight> &weights,
                                Environment &scope) {
  for (const Weight &weight : weights)
    bind(scope, weight.name,
         WeightReference{&weight, instancePointer(&scope), &scope});
}

/// Blocks are names of the file: a part or a weight inside another block may
/// have the same name.
BlockReference Elaborator::blockOf(const Part &part, const Environment *scope) {
  while (scope->parent && !scope->file)
    scope = scope->parent;
  auto block = find(part.block, scope);
  auto *reference = block ? block->as<BlockReference>() : nullptr;
  if (!reference)
    throw SpecError(Code::UndefinedBlock, part.blockPlace,
                    fmt::format("there is no block `{}`", part.block));
  return *reference;
}

void Elaborator::setIndex(Instance &instance, const Environment *scope,
                          const Value &index, const Expr &at) {
  instance.count = size(*instance.part->count, scope);
  if (auto *number = index.statics()) {
    needKnown(*number, at);
    instance.index = *number;
    instance.path += "." + number->str();
    auto value = number->asInteger(), count = instance.count.asNumber();
    if (!number->isUnknown() &&
        (!value || (count && (*value < 0 || *value >= *count))))
      throw SpecError(Code::OutOfRange, at.at,
                      fmt::format("there is no part {}[{}]: {} counts to {}",
                                  instance.part->name, number->str(),
                                  spec::text(*instance.part->count),
                                  symbols.show(instance.count)),
                      {}, at.range);
  } else if (auto *scalar = index.as<IndexedScalar>();
             scalar && scalar->expr->kind == IndexExpr::Kind::Index &&
             indices[scalar->expr->index].range) {
    instance.family = scalar->expr->index;
    if (!symbols.same(instance.count, *indices[instance.family].range))
      throw SpecError(
          Code::RangesDiffer, at.at,
          fmt::format("the index `{}` ranges differently in two places",
                      indices[instance.family].name),
          {}, at.range);
  } else {
    throw SpecError(
        Code::IndexKind, at.at,
        fmt::format("the index of a part cannot be {}", kindOf(index)), {},
        at.range);
  }
}

void Elaborator::bindInstance(Instance &instance) {
  instance.binding = tableEntry(*instance.parent, instance.part->name);
  if (!instance.binding)
    throw SpecError(
        Code::NoBinding, instance.part->place,
        fmt::format("`names {}` does not say where the part `{}` of {} is", box,
                    instance.part->name,
                    instance.parent->block
                        ? "block " + instance.parent->block->name
                        : "the model"),
        {fmt::format("Give it the prefix of its tensors: {} = \"….\"",
                     instance.part->name)});
  std::string prefix = instance.family ? "" : prefixOf(instance, {}).name;
  instances.emplace(prefix, Placed{instance.part->block, instance.path, {}});
}

InstancePtr Elaborator::makeInstance(const Part &part, const Environment *scope,
                                     const Value *index, const Expr *at) {
  auto instance = std::make_shared<Instance>();
  instance->parent = instancePointer(scope);
  instance->declaring = scope;
  instance->part = &part;
  instance->path = instance->parent->path;
  instance->path += (instance->path.empty() ? "" : ".") + part.name;
  Environment *inner = newEnvironment(scope);
  if (index) {
    setIndex(*instance, scope, *index, *at);
    bind(*inner, part.index, *index);
  }
  const BlockReference reference = blockOf(part, scope);
  instance->block = reference.block;
  Environment *statics = newEnvironment(reference.scope);
  const auto &names = reference.block->statics;
  if (part.arguments.size() != names.size())
    throw SpecError(
        Code::StaticCount, part.blockPlace,
        fmt::format("block {} has {} static parameters, and `{}` gives {}",
                    part.block, names.size(), part.name,
                    part.arguments.size()));
  for (size_t k = 0; k < names.size(); ++k)
    bind(*statics, names[k], evaluate(*part.arguments[k], inner));
  instance->scope = statics;
  if (checkpoint)
    bindInstance(*instance);
  return instance;
}

//===----------------------------------------------------------------------===//
// Tables
//===----------------------------------------------------------------------===//

/// The last entry found has priority: tables of libraries come first, then the
/// spec's own, then the exceptions of the part itself.
const Binding *Elaborator::tableEntry(const Instance &instance,
                                      const std::string &name) const {
  const Binding *found = nullptr;
  auto search = [&](const Table &table) {
    for (const Binding &binding : table.bindings)
      if (binding.name == name)
        found = &binding;
  };
  for (const Table *table : tables) {
    if (!instance.block) {
      search(*table);
      continue;
    }
    for (const auto &[block, section] : table->sections)
      if (block == instance.block->name)
        search(*section);
  }
  if (instance.binding && instance.binding->exceptions)
    search(*instance.binding->exceptions);
  return found;
}

/// The most specific statement applies: of the part's exceptions, of the
/// block's section, of the table.
bool Elaborator::storesLinearsTransposed(const Instance &instance) const {
  bool transposed = false;
  for (const Table *table : tables)
    transposed = table->linearIsOutIn.value_or(transposed);
  if (instance.block)
    for (const Table *table : tables)
      for (const auto &[block, section] : table->sections)
        if (block == instance.block->name)
          transposed = section->linearIsOutIn.value_or(transposed);
  if (instance.binding && instance.binding->exceptions)
    transposed =
        instance.binding->exceptions->linearIsOutIn.value_or(transposed);
  return transposed;
}

const MatrixUse &Elaborator::matrixUseIn(const Block *block) {
  auto found = matrixUses.find(block);
  if (found == matrixUses.end())
    found = matrixUses
                .emplace(block,
                         block ? matrixUse(block->body) : matrixUse(spec.main))
                .first;
  return found->second;
}

std::set<std::string> Elaborator::indexNames(const Instance &instance) {
  std::set<std::string> names;
  for (const Instance *level = &instance; level; level = level->parent.get())
    if (level->binding)
      names.insert(level->binding->indices.begin(),
                   level->binding->indices.end());
  return names;
}

/// Tables see the static values of a block that were computed already; the
/// others would need values of the equations.
Environment *Elaborator::tableScope(const Environment *declaring,
                                    const Instance &instance,
                                    const Members &members) {
  Environment *result = newEnvironment(root);
  for (const Environment *level = declaring;
       level && level != root && !level->file; level = level->parent)
    for (const auto &[name, entry] : level->names)
      if (entry.known && entry.value.statics() && !result->names.count(name))
        bind(*result, name, entry.value);
  for (const Instance *level = &instance; level; level = level->parent.get()) {
    if (!level->binding || level->binding->indices.empty())
      continue;
    const std::string &name = level->binding->indices[0];
    if (level->index)
      bind(*result, name, *level->index);
    else if (auto member = members.find(level->family); member != members.end())
      bind(*result, name, StaticValue(member->second));
  }
  return result;
}

/// The tensors that a source may refer to, in order of preference.
void Elaborator::tensorNames(const Expr &source, const TensorName &prefix,
                             const Environment *scope,
                             const std::set<std::string> &indexNames,
                             std::vector<TensorName> &names) {
  switch (source.kind) {
  case ExprKind::String: {
    TensorName result = prefix;
    std::vector<std::string> pieces = stringPieces(source);
    for (size_t k = 0; k < pieces.size(); ++k) {
      result.name += pieces[k];
      result.pattern += pieces[k];
      if (k == source.operands.size())
        break;
      const Expr &inserted = *source.operands[k];
      std::string value = staticValue(inserted, scope).str();
      result.name += value;
      bool isIndex =
          inserted.kind == ExprKind::Name && indexNames.count(inserted.text);
      result.pattern += isIndex ? "{" + inserted.text + "}" : value;
    }
    names.push_back(std::move(result));
    return;
  }
  case ExprKind::Or:
    tensorNames(*source.operands[0], prefix, scope, indexNames, names);
    tensorNames(*source.operands[1], prefix, scope, indexNames, names);
    return;
  case ExprKind::Conditional: {
    auto truth = condition(*source.operands[0], scope);
    tensorNames(*source.operands[truth.value_or(true) ? 1 : 2], prefix, scope,
                indexNames, names);
    return;
  }
  case ExprKind::Add:
    for (size_t k = 0; k < 2; ++k)
      if (source.operands[k]->kind == ExprKind::String ||
          source.operands[k]->kind == ExprKind::Or) {
        TensorName shifted = prefix;
        shifted.added = staticValue(*source.operands[1 - k], scope).toExact();
        tensorNames(*source.operands[k], shifted, scope, indexNames, names);
        return;
      }
    break;
  default:
    break;
  }
  // A name or a call whose value is a text.
  StaticValue value = staticValue(source, scope);
  if (!value.text())
    throw SpecError(
        Code::TensorName, source.range.begin,
        fmt::format("the name of a tensor must be a text, but this is {}",
                    value.kind()),
        {}, source.range);
  names.push_back({prefix.name + *value.text(), prefix.pattern + *value.text(),
                   prefix.added});
}

/// The prefixes of all parts from the model down to this one. A prefix with
/// alternatives uses its first one.
Elaborator::TensorName Elaborator::prefixOf(const Instance &instance,
                                            const Members &members) {
  if (!instance.parent)
    return {};
  TensorName prefix = prefixOf(*instance.parent, members);
  // The index of the part itself is visible in its own prefix.
  Environment *scope = tableScope(instance.declaring, instance, members);
  std::vector<TensorName> names;
  tensorNames(*instance.binding->source, prefix, scope, indexNames(instance),
              names);
  return names[0];
}

} // namespace transfold::spec
