// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Parts and weights: where in the tree of parts an equation stands, which tensor
// of the checkpoint the tables give it there, and how that is stored.

#include "compiler/spec/Elaborator.h"
#include "compiler/spec/ExprText.h"
#include "compiler/spec/Layout.h"
#include "compiler/spec/MatrixUse.h"
#include "compiler/spec/Parser.h"

#include <fmt/format.h>

#include <algorithm>

namespace transfold::spec {

//===----------------------------------------------------------------------===//
// Declarations
//===----------------------------------------------------------------------===//

void Elaborator::declareParts(const std::vector<Part> &parts, Environment &scope) {
  const Environment *level = &scope;
  for (const Part &part : parts)
    bindLazily(scope, part.name, part.place, [=, this, &part]() -> Value {
      if (part.condition) {
        auto present = condition(*part.condition, level);
        if (present && !*present)
          return Absent{part.name};
      }
      if (part.index.empty())
        return PartReference{makeInstance(part, level, nullptr, nullptr)};
      return PartFamily{part.name, size(*part.count, level), spec::text(*part.count),
                        [=, this, &part](const Value &index, const Expr &at) {
                          return makeInstance(part, level, &index, &at);
                        }};
    });
}

void Elaborator::declareWeights(const std::vector<Weight> &weights, Environment &scope) {
  for (const Weight &weight : weights)
    bind(scope, weight.name, WeightReference{&weight, instancePointer(&scope), &scope});
}

InstancePtr Elaborator::makeInstance(const Part &part, const Environment *scope, const Value *index,
                                     const Expr *at) {
  auto instance = std::make_shared<Instance>();
  instance->parent = instancePointer(scope);
  instance->declaring = scope;
  instance->path = instance->parent->path;
  instance->path += (instance->path.empty() ? "" : ".") + part.name;
  Environment *inner = newEnvironment(scope);
  if (index) {
    instance->count = size(*part.count, scope);
    if (auto *number = index->statics()) {
      instance->index = *number;
      instance->path += "." + number->str();
      auto value = number->asInteger(), count = instance->count.asNumber();
      if (!number->isUnknown() && (!value || (count && (*value < 0 || *value >= *count))))
        throw SpecError(at->at,
                        fmt::format("there is no part {}[{}]: {} counts to {}", part.name,
                                    number->str(), spec::text(*part.count),
                                    symbols.show(instance->count)),
                        {}, at->range);
    } else if (auto *scalar = index->as<IndexedScalar>();
               scalar && scalar->expr->kind == IndexExpr::Kind::Index &&
               indices[scalar->expr->index].range) {
      instance->family = scalar->expr->index;
      if (!symbols.same(instance->count, *indices[instance->family].range))
        throw SpecError(at->at,
                        fmt::format("the index `{}` ranges differently in two places",
                                    indices[instance->family].name),
                        {}, at->range);
    } else {
      throw SpecError(at->at, fmt::format("the index of a part cannot be {}", kindOf(*index)), {},
                      at->range);
    }
    bind(*inner, part.index, *index);
  }
  auto block = find(part.block, scope);
  auto *reference = block ? block->as<BlockReference>() : nullptr;
  if (!reference)
    throw SpecError(part.blockPlace, fmt::format("there is no block `{}`", part.block));
  instance->block = reference->block;
  Environment *statics = newEnvironment(reference->scope);
  const auto &names = reference->block->statics;
  if (part.arguments.size() != names.size())
    throw SpecError(part.blockPlace,
                    fmt::format("block {} has {} static parameters, and `{}` gives {}",
                                part.block, names.size(), part.name, part.arguments.size()));
  for (size_t k = 0; k < names.size(); ++k)
    bind(*statics, names[k], evaluate(*part.arguments[k], inner));
  instance->scope = statics;
  if (checkpoint) {
    instance->binding = tableEntry(*instance->parent, part.name);
    if (!instance->binding)
      throw SpecError(
          part.place,
          fmt::format("`names {}` does not say where the part `{}` of {} is", box, part.name,
                      instance->parent->block ? "block " + instance->parent->block->name
                                              : "the model"),
          {fmt::format("Give it the prefix of its tensors: {} = \"….\"", part.name)});
    std::string prefix = instance->family ? "" : prefixOf(*instance, {}).name;
    instances.emplace(prefix, Placed{part.block, instance->path, {}});
  }
  return instance;
}

//===----------------------------------------------------------------------===//
// Tables
//===----------------------------------------------------------------------===//

const Binding *Elaborator::tableEntry(const Instance &instance, const std::string &name) const {
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
    transposed = instance.binding->exceptions->linearIsOutIn.value_or(transposed);
  return transposed;
}

const std::set<std::string> &Elaborator::weightsRightOfProducts(const Block *block) {
  auto found = rightFactors.find(block);
  if (found == rightFactors.end())
    found = rightFactors
                .emplace(block, (block ? matrixUse(block->body) : matrixUse(spec.main)).linear)
                .first;
  return found->second;
}

std::set<std::string> Elaborator::indexNames(const Instance &instance) {
  std::set<std::string> names;
  for (const Instance *level = &instance; level; level = level->parent.get())
    if (level->binding)
      names.insert(level->binding->indices.begin(), level->binding->indices.end());
  return names;
}

Environment *Elaborator::tableScope(const Environment *declaring, const Instance &instance,
                              const Members &members) {
  Environment *result = newEnvironment(root);
  for (const Environment *level = declaring; level && level != root && !level->file;
       level = level->parent)
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

/// The tensors that a source may mean, the one to take first in front.
void Elaborator::tensorNames(const Expr &source, const TensorName &prefix, const Environment *scope,
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
      bool isIndex = inserted.kind == ExprKind::Name && indexNames.count(inserted.text);
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
    tensorNames(*source.operands[truth.value_or(true) ? 1 : 2], prefix, scope, indexNames, names);
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
  // A name or a call that makes a text.
  StaticValue value = staticValue(source, scope);
  if (!value.text())
    throw SpecError(source.range.begin,
                    fmt::format("the name of a tensor is a text, and this is {}", value.kind()),
                    {}, source.range);
  names.push_back({prefix.name + *value.text(), prefix.pattern + *value.text(), prefix.added});
}

Elaborator::TensorName Elaborator::prefixOf(const Instance &instance, const Members &members) {
  if (!instance.parent)
    return {};
  TensorName prefix = prefixOf(*instance.parent, members);
  // The index of the part itself is visible in its own prefix.
  Environment *scope = tableScope(instance.declaring, instance, members);
  std::vector<TensorName> names;
  tensorNames(*instance.binding->source, prefix, scope, indexNames(instance), names);
  return names[0];
}

//===----------------------------------------------------------------------===//
// Weights
//===----------------------------------------------------------------------===//

Value Elaborator::weightValue(const WeightReference &reference, Place at) {
  const Weight &weight = *reference.weight;
  const Instance &instance = *reference.instance;
  if (weight.condition) {
    auto present = condition(*weight.condition, reference.scope);
    if (present && !*present)
      return weight.otherwise ? evaluate(*weight.otherwise, reference.scope)
                              : Value(Absent{weight.name});
  }
  std::vector<Axis> axes;
  for (const ExprPtr &dim : weight.dims)
    axes.push_back({size(*dim, reference.scope), spec::text(*dim)});

  BoundWeight bound;
  bound.name = asciiName((instance.path.empty() ? "" : instance.path + ".") + weight.name);
  bound.place = weight.place;
  Tensor tensor;
  tensor.isWeight = true;
  Members members;
  for (const Instance *level = &instance; level; level = level->parent.get())
    if (level->family) {
      const IndexInfo &index = indices[level->family];
      bound.indices.insert(bound.indices.begin(),
                           {index.name, level->count.asNumber().value_or(0)});
      tensor.axes.insert(tensor.axes.begin(),
                         {level->count, index.rangeName, level->family});
      members[level->family] = 0;
    }
  const Binding *binding = checkpoint ? tableEntry(instance, weight.name) : nullptr;
  size_t own = binding ? std::min(binding->indices.size(), axes.size()) : 0;
  for (size_t k = 0; k < own; ++k)
    bound.indices.emplace_back(binding->indices[k], axes[k].size.asNumber().value_or(0));
  bound.families = unsigned(bound.indices.size());
  for (size_t k = 0; k < axes.size(); ++k) {
    if (k >= own)
      bound.shape.push_back(axes[k].size);
    tensor.visible.push_back(unsigned(tensor.axes.size()));
    tensor.axes.push_back(axes[k]);
  }
  if (!checkpoint) {
    tensor.value = sink->weight(bound, at);
    return tensor;
  }
  if (!binding) {
    if (weight.optional)
      return Absent{weight.name};
    throw SpecError(weight.place,
                    fmt::format("`names {}` does not say where `{}` of {} is", box, weight.name,
                                instance.block ? "block " + instance.block->name : "the model"));
  }
  if (own > 1)
    throw SpecError(binding->place, "one index says which tensor a member has");

  // Every combination of members, last index fastest.
  std::vector<int64_t> counter(bound.indices.size(), 0);
  std::vector<int> families;
  for (const auto &[number, member] : members)
    families.push_back(number);
  while (true) {
    // Numbers of indices grow inwards, as the axes do.
    for (size_t k = 0; k < families.size(); ++k)
      members[families[k]] = counter[k];
    std::optional<int64_t> ownIndex;
    if (own)
      ownIndex = counter.back();
    auto storage = bindMember(reference, *binding, members, ownIndex, bound.pattern);
    if (!storage)
      return Absent{weight.name};
    bound.storage.push_back(*storage);
    size_t k = counter.size();
    while (k > 0 && ++counter[k - 1] == bound.indices[k - 1].second)
      counter[--k] = 0;
    if (k == 0)
      break;
  }
  tensor.value = sink->weight(bound, at);
  return tensor;
}

std::optional<Storage> Elaborator::bindMember(const WeightReference &reference,
                                              const Binding &binding, const Members &members,
                                              std::optional<int64_t> ownIndex,
                                              std::string &pattern) {
  const Weight &weight = *reference.weight;
  const Instance &instance = *reference.instance;
  Environment *scope = tableScope(reference.scope, instance, members);
  std::set<std::string> known = indexNames(instance);
  if (ownIndex) {
    bind(*scope, binding.indices[0], StaticValue(*ownIndex));
    known.insert(binding.indices[0]);
  }
  TensorName prefix = prefixOf(instance, members);
  std::vector<TensorName> names;
  tensorNames(*binding.source, prefix, scope, known, names);
  const TensorName *chosen = nullptr;
  for (const TensorName &name : names)
    if (!chosen && checkpoint->tensors().count(name.name))
      chosen = &name;
  Placed &placed = instances[prefix.name];
  if (placed.block.empty() && instance.block)
    placed.block = instance.block->name;
  if (std::count(placed.weights.begin(), placed.weights.end(), weight.name) == 0)
    placed.weights.push_back(weight.name);
  if (!chosen) {
    if (weight.optional)
      return std::nullopt;
    failMissing(reference, binding, names);
  }
  pattern = chosen->pattern;
  const auto &stored = checkpoint->tensors().at(chosen->name);

  // axis d_k = 2 * f names one new factor.
  for (const auto &[axis, product] : binding.splits) {
    auto whole = find(axis, scope);
    std::string added;
    int64_t factor = 1;
    for (const ExprPtr &part : factorsOf(product)) {
      if (part->kind == ExprKind::Name && !find(part->text, scope))
        added = part->text;
      else
        factor *= integer(*part, scope).value_or(1);
    }
    auto number = whole && whole->statics() ? whole->statics()->asInteger() : std::nullopt;
    if (number && !added.empty()) {
      if (factor < 1 || *number % factor)
        throw SpecError(binding.place, fmt::format("the axis {} = {} is no multiple of {}", axis,
                                                   *number, factor));
      bind(*scope, added, StaticValue(*number / factor));
    }
  }
  std::vector<int64_t> selected;
  if (binding.at) {
    StaticValue at = staticValue(*binding.at, scope);
    std::vector<StaticValue> list{at};
    if (at.list())
      list = **at.list();
    for (const StaticValue &value : list) {
      auto number = value.asInteger();
      if (!number)
        throw SpecError(binding.at->range.begin,
                        fmt::format("`at` selects by integers, and this is {}", value.str()));
      selected.push_back(*number);
    }
  }
  bool reversed = !binding.axes && !ownIndex && weight.dims.size() == 2 &&
                  weightsRightOfProducts(instance.block).count(weight.name) &&
                  storesLinearsTransposed(instance);
  Piece piece;
  Storage storage = layOut(
      weight, binding, chosen->name, stored.shape, reversed, selected,
      [&](const Expr &factor) -> int64_t {
        // Of a size that a block's own scope defines, and of what a table adds.
        if (auto number = size(factor, scope).asNumber())
          return *number;
        throw SpecError(factor.range.begin,
                        fmt::format("{} has no number here", spec::text(factor)));
      },
      piece);
  storage.added = chosen->added;
  used.insert(chosen->name);
  if (!piece.chosen.empty()) {
    Pieces &pieces = shared[chosen->name];
    pieces.total = piece.total;
    pieces.taken.insert(piece.chosen);
    pieces.place = binding.place;
  }
  return storage;
}

} // namespace transfold::spec
