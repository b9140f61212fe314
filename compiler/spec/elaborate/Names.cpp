// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Scopes: the values of names, computed on first use; definitions; and families
// X[i] = e, which are elaborated once for all members.

#include "compiler/spec/elaborate/Elaborator.h"
#include "compiler/spec/syntax/Diagnostic.h"
#include "compiler/spec/syntax/ExprText.h"
#include "compiler/spec/syntax/Suggest.h"

#include <fmt/format.h>

#include <algorithm>

namespace transfold::spec {

Elaborator::Elaborator(const LoadedSpec &spec,
                       const checkpoint::Checkpoint *checkpoint)
    : spec(spec), checkpoint(checkpoint), configuration(checkpoint),
      top(spec.main, spec.libraries) {
  if (checkpoint)
    box = checkpoint->container();
  else if (top.constants.count("hf") || top.constants.empty())
    box = "hf";
  else
    box = top.constants.begin()->first;
  std::set<const File *> seen;
  collectFiles(spec.main, seen);
  for (const File *file : files)
    for (const Config &config : file->configs)
      if (config.container == box)
        configs.push_back(&config);
  if (auto found = top.tables.find(box); found != top.tables.end())
    tables = found->second;
  auto model = std::make_shared<Instance>();
  modelInstance = model;
  root = mainModule();
}

void Elaborator::collectFiles(const File &file, std::set<const File *> &seen) {
  if (!seen.insert(&file).second)
    return;
  for (const Use &use : file.uses)
    collectFiles(spec.libraries.at(use.path), seen);
  files.push_back(&file);
}

//===----------------------------------------------------------------------===//
// Scopes
//===----------------------------------------------------------------------===//

/// The levels are in a deque, whose elements never move.
Environment *Elaborator::newEnvironment(const Environment *parent) {
  scopes.emplace_back();
  scopes.back().parent = parent;
  return &scopes.back();
}

void Elaborator::bind(Environment &scope, const std::string &name,
                      Value value) {
  LazyValue &entry = scope.names[name];
  entry.value = std::move(value);
  entry.known = true;
}

void Elaborator::bindLazily(Environment &scope, const std::string &name,
                            Place place, std::function<Value()> make) {
  LazyValue &entry = scope.names[name];
  entry = LazyValue();
  entry.make = std::move(make);
  entry.name = name;
  entry.place = place;
}

const Environment *Elaborator::moduleScope(const File &file) {
  auto found = modules.find(&file);
  if (found != modules.end())
    return found->second;
  Environment *scope = newEnvironment(nullptr);
  modules[&file] = scope;
  scope->file = &file;
  for (const Use &use : file.uses)
    for (size_t k = 0; k < use.names.size(); ++k) {
      const File &library = spec.libraries.at(use.path);
      std::string name = use.names[k];
      bindLazily(*scope, name, use.namePlaces[k], [=, this, &library] {
        return *find(name, moduleScope(library));
      });
    }
  for (const Definition &definition : file.definitions)
    bindLazily(*scope, definition.name, definition.place,
               [=, this, &definition] { return constant(definition, scope); });
  for (const Block &block : file.blocks)
    bind(*scope, block.name, BlockReference{&block, scope});
  return scope;
}

/// The value of a static definition of a file. Without a checkpoint, an unknown
/// value is represented by its name, as an atom in the sizes of axes.
Value Elaborator::constant(const Definition &definition,
                           const Environment *scope) {
  Value value = define(definition, scope);
  if (auto *statics = value.statics()) {
    if (auto *unknown = statics->unknownValue();
        unknown && !unknown->size && !unknown->number)
      return StaticValue(Unknown{Dim::atom(definition.name)});
    if (auto size = statics->asSize())
      symbols.name(*size, definition.name);
  }
  return value;
}

/// Constants that only another container defines are unknown sizes without a
/// checkpoint, and are not defined with one.
const Environment *Elaborator::mainModule() {
  auto *scope = const_cast<Environment *>(moduleScope(spec.main));
  scope->instance = modelInstance;
  for (const auto &[length, place] : spec.main.lengths) {
    symbols.addLength(length);
    bind(*scope, length, StaticValue(Unknown{Dim::atom(length)}));
  }
  for (const auto &[container, definitions] : top.constants)
    for (const auto &[name, definition] : definitions) {
      if (container == box)
        bindLazily(*scope, name, definition->place, [=, this] {
          return constant(*definition, tableScope(definition->place));
        });
      else if (!checkpoint && !scope->names.count(name))
        bind(*scope, name, StaticValue(Unknown{Dim::atom(name)}));
    }
  declareParts(spec.main.parts, *scope);
  declareWeights(spec.main.weights, *scope);
  for (const Entry &entry : spec.main.entries)
    bind(*scope, entry.name, EntryReference{&entry, scope});
  return scope;
}

const Environment *Elaborator::tableScope(const Place &place) {
  auto found = std::ranges::find(files, place.source, &File::source);
  if (found == files.end() || *found == &spec.main)
    return root;
  const File &library = **found;
  auto [known, isNew] = tableScopes.try_emplace(&library);
  if (!isNew)
    return known->second;
  Environment *scope = newEnvironment(root);
  for (const auto &[name, value] : moduleScope(library)->names)
    bindLazily(*scope, name, place, [=, this, &library, &name = name] {
      return *find(name, moduleScope(library));
    });
  return known->second = scope;
}

/// Primitives come last, so that a body may define a name that one of them has.
std::optional<Value> Elaborator::find(const std::string &name,
                                      const Environment *scope) {
  for (const Environment *level = scope; level; level = level->parent) {
    auto found = level->names.find(name);
    if (found == level->names.end())
      continue;
    LazyValue &entry = found->second;
    if (entry.known) {
      if (entry.value.as<Faulty>())
        throw FaultyValueUsed();
      return entry.value;
    }
    if (entry.running)
      throw SpecError(
          Code::CyclicDefinition, entry.place,
          fmt::format("`{}` is defined in terms of itself", entry.name));
    entry.running = true;
    Value value;
    try {
      value = entry.make();
    } catch (...) {
      entry.running = false;
      throw;
    }
    entry.running = false;
    // A tensor is only valid at the place in the program where it was made.
    if (!value.tensor() && !value.as<IndexedScalar>() &&
        !value.as<Diagonal>() && !value.as<Column>()) {
      entry.value = value;
      entry.known = true;
    }
    return value;
  }
  if (name == "π")
    return Value(StaticValue(3.14159265358979323846));
  if (primitives().count(name))
    return Value(Builtin{name});
  return std::nullopt;
}

/// A name that only another container defines gets a message of its own,
/// because the spec as such is not wrong.
Value Elaborator::lookUp(const Expr &name, const Environment *scope) {
  auto value = find(name.text, scope);
  if (!value) {
    std::set<std::string> known;
    for (const Environment *level = scope; level; level = level->parent)
      for (const auto &[other, entry] : level->names)
        known.insert(other);
    bool elsewhere = false;
    for (const auto &[container, definitions] : top.constants)
      elsewhere |= definitions.count(name.text) != 0;
    if (elsewhere)
      throw SpecError(
          Code::MissingConstant, name.range.begin,
          fmt::format("`config {}` does not define `{}`", box, name.text),
          {"The equations need it, and the model is in this container."},
          name.range);
    throw unknownName(Code::UndefinedName, name.range.begin, name.text,
                      fmt::format("`{}` is not defined", name.text), known);
  }
  if (auto *weight = value->as<WeightReference>())
    return weightValue(*weight, name.at);
  return *value;
}

InstancePtr Elaborator::instancePointer(const Environment *scope) const {
  for (; scope; scope = scope->parent)
    if (scope->instance)
      return scope->instance;
  return modelInstance;
}

/// Whether the name is a length, or a size that a library leaves open.
bool Elaborator::isFreeSize(const std::string &name,
                            const Environment *scope) const {
  for (; scope; scope = scope->parent)
    if (scope->file) {
      for (const auto *declared : {&scope->file->lengths, &scope->file->sizes})
        for (const auto &[length, place] : *declared)
          if (length == name)
            return true;
      return false;
    }
  return false;
}

//===----------------------------------------------------------------------===//
// Definitions
//===----------------------------------------------------------------------===//

const Environment *Elaborator::withWhere(const Definition &definition,
                                         const Environment *scope) {
  if (definition.where.empty())
    return scope;
  Environment *inner = newEnvironment(scope);
  for (const Definition &local : definition.where)
    bindLazily(*inner, local.name, local.place,
               [=, this, &local] { return define(local, inner); });
  return inner;
}

Value Elaborator::define(const Definition &definition,
                         const Environment *scope) {
  if (definition.parameters)
    return FunctionClosure{&definition, scope};
  if (!definition.indices.empty())
    return family(definition, scope);
  Value value = evaluate(*definition.value, withWhere(definition, scope));
  if (auto *statics = value.statics())
    if (auto size = statics->asSize())
      symbols.name(*size, definition.name);
  return value;
}

/// Whether `expr` is a sum or difference to which `index` is added: t - 1.
static bool isShifted(const Expr &expr, const std::string &index) {
  if (expr.kind != ExprKind::Add && expr.kind != ExprKind::Subtract)
    return false;
  auto isTerm = [&](const Expr &term) {
    return (term.kind == ExprKind::Name && term.text == index) ||
           isShifted(term, index);
  };
  return isTerm(*expr.operands[0]) ||
         (expr.kind == ExprKind::Add && isTerm(*expr.operands[1]));
}

/// Collects the sizes of the axes that `expr` indexes by plain `index`: X[i],
/// X[a, i] and X[a][i]. After a slice, positions refer to other axes.
void Elaborator::findExtents(const Expr &expr, const std::string &index,
                             const Environment *scope,
                             std::vector<Extent> &found) {
  if (expr.kind == ExprKind::Index) {
    std::vector<const Expr *> given; // for X[a][i] both
    const Expr *base = &expr;
    for (; base->kind == ExprKind::Index; base = base->operands[0].get())
      for (size_t k = base->operands.size(); k-- > 1;)
        given.insert(given.begin(), base->operands[k].get());
    size_t first = given.size() - (expr.operands.size() - 1);
    for (size_t k = 0; k < given.size(); ++k) {
      if (given[k]->kind == ExprKind::Slice ||
          given[k]->kind == ExprKind::Range)
        break;
      if (k < first || base->kind != ExprKind::Name)
        continue;
      if (given[k]->kind == ExprKind::Name && given[k]->text == index)
        findExtent(base->text, k, given.size(), scope, found);
      else if (isShifted(*given[k], index))
        findShiftedExtent(base->text, k, given.size(), scope, found);
    }
  }
  for (const ExprPtr &operand : expr.operands)
    if (operand)
      findExtents(*operand, index, scope, found);
}

/// Adds the size of axis `axis` of the value of `name`, `given` of whose axes
/// are indexed. If no axis remains (a number), only the first index has a
/// range.
void Elaborator::findExtent(const std::string &name, size_t axis, size_t given,
                            const Environment *scope,
                            std::vector<Extent> &found) {
  auto value = find(name, scope);
  if (!value)
    return;
  auto add = [&](const Dim &size, const std::string &sizeName, size_t rank) {
    if (axis == 0 || rank > given || rangesOfElements)
      found.push_back({size, sizeName, name, rank > given});
  };
  if (auto *tensor = value->tensor(); tensor && tensor->rank() > axis)
    add(tensor->axis(axis).size, tensor->axis(axis).name, tensor->rank());
  else if (auto *parts = value->as<PartFamily>(); parts && axis == 0)
    found.push_back({parts->count, parts->countName, name, true});
  else if (auto *weight = value->as<WeightReference>();
           weight && weight->weight->dims.size() > axis)
    add(size(*weight->weight->dims[axis], weight->scope),
        spec::text(*weight->weight->dims[axis]), weight->weight->dims.size());
}

/// The same for x[t - 1], where a row remains. Numbers at other positions are
/// elements in index functions, whose indices have no range.
void Elaborator::findShiftedExtent(const std::string &name, size_t axis,
                                   size_t given, const Environment *scope,
                                   std::vector<Extent> &found) {
  std::vector<Extent> all;
  findExtent(name, axis, given, scope, all);
  for (Extent &extent : all)
    if (extent.leavesRows) {
      extent.isShifted = true;
      found.push_back(std::move(extent));
    }
}

/// The range that is written, and those required by the uses of the index; all
/// must agree.
std::vector<Elaborator::Extent>
Elaborator::extentsOf(const Definition &definition,
                      const IndexVariable &variable, const Environment *scope) {
  std::vector<Extent> found;
  findExtents(*definition.value, variable.name, withWhere(definition, scope),
              found);
  if (variable.bound)
    found.insert(found.begin(),
                 {size(*variable.bound, scope), spec::text(*variable.bound),
                  "the range", true});
  needOneRange(variable.name, variable.place, found);
  return found;
}

void Elaborator::needOneRange(const std::string &index, const Place &place,
                              const std::vector<Extent> &found) const {
  for (size_t k = 1; k < found.size(); ++k) {
    if (symbols.same(found[0].size, found[k].size))
      continue;
    auto line = [&](const Extent &extent) {
      return fmt::format(
          "{} has {} members", extent.what,
          extent.name == symbols.show(extent.size)
              ? extent.name
              : fmt::format("{} = {}", extent.name, symbols.show(extent.size)));
    };
    throw SpecError(Code::RangesDiffer, place,
                    fmt::format("the index `{}` ranges differently in two "
                                "places",
                                index),
                    {line(found[0]), line(found[k])});
  }
}

/// The values for all members of all indices as one tensor; nullopt if, with
/// several indices, the members are not rows or matrices.
std::optional<Value> Elaborator::members(const Definition &definition,
                                         const std::vector<Extent> &extents,
                                         const Environment *scope) {
  Environment *inner = newEnvironment(scope);
  std::vector<int> numbers;
  for (size_t k = 0; k < extents.size(); ++k) {
    const std::string &name = definition.indices[k].name;
    numbers.push_back(newIndex(name, extents[k].size, extents[k].name));
    bind(*inner, name, IndexedScalar{IndexExpr::variable(numbers.back())});
  }
  Value member = evaluate(*definition.value, withWhere(definition, inner));
  bool isOne = numbers.size() == 1;
  // Numbers whose index ranges are all written form a row or a matrix. Booleans
  // stay a function of their indices, because passes analyze masks.
  bool areWritten =
      std::ranges::all_of(definition.indices, [](const IndexVariable &index) {
        return index.bound != nullptr;
      });
  auto body = member.tensor() && member.tensor()->rank() > 0
                  ? std::nullopt
                  : asIndexed(member);
  if (body && areWritten && !(*body)->boolean) {
    std::vector<Axis> axes;
    for (const Extent &extent : extents)
      axes.push_back({extent.size, extent.name});
    return tabulated(definition.name, *body, numbers, axes, definition.place);
  }
  if (auto *scalar = member.as<IndexedScalar>(); scalar && isOne)
    member = tabulated(*scalar, definition.place);
  if (member.as<Absent>())
    return member;
  if (!member.tensor() || (!isOne && member.tensor()->rank() == 0)) {
    if (!isOne)
      return std::nullopt;
    throw SpecError(
        Code::FamilyMember, definition.place,
        fmt::format("a member of the family `{}` is {}, not a tensor",
                    definition.name, kindOf(member)));
  }
  Tensor whole = *member.tensor();
  for (size_t k = numbers.size(); k-- > 0;) {
    unsigned axis = 0;
    while (axis < whole.axes.size() && whole.axes[axis].family != numbers[k])
      ++axis;
    if (axis == whole.axes.size())
      throw SpecError(
          Code::SameMembers, definition.place,
          fmt::format("all members of the family `{}` are the same: nothing "
                      "depends on `{}`",
                      definition.name, definition.indices[k].name));
    whole.axes[axis].family = 0;
    whole.visible.insert(whole.visible.begin(), axis);
  }
  return whole;
}

Value Elaborator::family(const Definition &definition,
                         const Environment *scope) {
  if (isRecurrence(definition, scope))
    return recurrence(definition, scope);
  const auto &variables = definition.indices;
  // With several indices, only rows or matrices form a family; numbers by index
  // take their ranges from the values that they are combined with.
  std::vector<Extent> extents;
  for (const IndexVariable &variable : variables) {
    auto found = extentsOf(definition, variable, scope);
    bool isMember =
        variables.size() == 1 || variable.bound ||
        std::any_of(found.begin(), found.end(),
                    [](const Extent &extent) { return extent.leavesRows; });
    if (found.empty() || !isMember)
      break;
    extents.push_back(found[0]);
  }
  if (extents.size() == variables.size())
    if (auto whole = members(definition, extents, scope))
      return *whole;
  return IndexClosure{
      definition.name, unsigned(variables.size()),
      [this, &definition, scope](const Arguments &arguments) {
        Environment *inner = newEnvironment(scope);
        for (size_t k = 0; k < arguments.size(); ++k)
          bind(*inner, definition.indices[k].name, arguments[k]);
        return evaluate(*definition.value, withWhere(definition, inner));
      }};
}

} // namespace transfold::spec
