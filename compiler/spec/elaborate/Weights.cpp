// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Binds weights: the tensor of the checkpoint that the tables assign to each,
// how it is stored, and whether its shape is the declared one.

#include "base/exact/AsciiName.h"
#include "compiler/spec/elaborate/Elaborator.h"
#include "compiler/spec/syntax/Diagnostic.h"
#include "compiler/spec/syntax/ExprText.h"
#include "compiler/spec/syntax/Suggest.h"
#include "compiler/spec/values/Layout.h"

#include <fmt/format.h>

#include <algorithm>

namespace transfold::spec {

/// Whether a name inserts an expression of an index that is not the plain
/// index: "layer.{2 * l}."
static bool computesFrom(const std::set<std::string> &indices,
                         const Expr &source, bool isInserted = false) {
  if (isInserted && source.kind == ExprKind::Name)
    return indices.count(source.text) != 0;
  for (const ExprPtr &operand : source.operands) {
    bool isPlain =
        source.kind == ExprKind::String && operand->kind == ExprKind::Name;
    if (!isPlain && computesFrom(indices, *operand,
                                 isInserted || source.kind == ExprKind::String))
      return true;
  }
  return false;
}

/// The table line that defines the form of a weight's names: the line that
/// computes with an index, otherwise that of the weight itself.
Place Elaborator::namedAt(const Instance &instance, const Binding &binding) {
  std::set<std::string> indices = indexNames(instance);
  for (const Instance *level = &instance; level; level = level->parent.get())
    if (level->binding && computesFrom(indices, *level->binding->source))
      return level->binding->place;
  return binding.place;
}

/// The families that an instance belongs to, outermost first. Adds an index to
/// the weight and an axis to its tensor for each.
Elaborator::Members Elaborator::addFamilies(const Instance &instance,
                                            BoundWeight &bound,
                                            Tensor &tensor) {
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
  return members;
}

/// The tensor has the axes of all families first, outermost first, then the
/// declared axes. If the weight has one tensor for each member of its own first
/// axis (W[e] = "…{e}…"), this axis counts as a family of the storage.
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
  bound.name = asciiName((instance.path.empty() ? "" : instance.path + ".") +
                         weight.name);
  bound.place = weight.place;
  Tensor tensor;
  tensor.isWeight = true;
  Members members = addFamilies(instance, bound, tensor);
  const Binding *binding =
      checkpoint ? tableEntry(instance, weight.name) : nullptr;
  size_t own = binding ? std::min(binding->indices.size(), axes.size()) : 0;
  for (size_t k = 0; k < own; ++k)
    bound.indices.emplace_back(binding->indices[k],
                               axes[k].size.asNumber().value_or(0));
  bound.families = unsigned(bound.indices.size());
  for (size_t k = 0; k < axes.size(); ++k) {
    if (k >= own)
      bound.shape.push_back(axes[k].size);
    tensor.visible.push_back(unsigned(tensor.axes.size()));
    tensor.axes.push_back(axes[k]);
  }
  if (const Axis *axis = emptyAxisOf(tensor))
    failEmpty(*axis, "the weight " + weight.name + spec::text(weight.dims),
              weight.place);
  if (!checkpoint) {
    tensor.value = emit(step::ReadWeight{bound}, at);
    return tensor;
  }
  if (!binding) {
    if (weight.optional)
      return Absent{weight.name};
    throw SpecError(Code::NoBinding, weight.place,
                    fmt::format("`names {}` does not say where `{}` of {} is",
                                box, weight.name,
                                instance.block ? "block " + instance.block->name
                                               : "the model"));
  }
  bound.named = namedAt(instance, *binding);
  if (own > 1)
    throw SpecError(Code::PieceSelection, binding->place,
                    "one index says which tensor a member has");

  if (!bindMembers(reference, *binding, members, own != 0, bound))
    return Absent{weight.name};
  tensor.value = emit(step::ReadWeight{bound}, at);
  return tensor;
}

/// Binds every combination of members, last index fastest; false if one is
/// absent. With `hasOwnIndex`, the last index is the weight's own and not a
/// family's.
bool Elaborator::bindMembers(const WeightReference &reference,
                             const Binding &binding, Members &members,
                             bool hasOwnIndex, BoundWeight &bound) {
  std::vector<int64_t> counter(bound.indices.size(), 0);
  std::vector<int> families;
  for (const auto &[number, member] : members)
    families.push_back(number);
  while (true) {
    // The numbers of indices increase inwards, in the order of the axes.
    for (size_t k = 0; k < families.size(); ++k)
      members[families[k]] = counter[k];
    std::optional<int64_t> ownIndex;
    if (hasOwnIndex)
      ownIndex = counter.back();
    auto storage =
        bindMember(reference, binding, members, ownIndex, bound.pattern);
    if (!storage)
      return false;
    bound.storage.push_back(*storage);
    size_t k = counter.size();
    while (k > 0 && ++counter[k - 1] == bound.indices[k - 1].second)
      counter[--k] = 0;
    if (k == 0)
      return true;
  }
}

/// The first of `names` that exists or is made up; null if the weight is
/// optional and absent. Sets `isMissing` if the tensor is only noted as
/// missing.
const Elaborator::TensorName *Elaborator::chosenTensor(
    const WeightReference &reference, const Binding &binding,
    const std::vector<TensorName> &names, bool &isMissing) {
  const Weight &weight = *reference.weight;
  for (const TensorName &name : names)
    if (checkpoint->tensors().contains(name.name))
      return &name;
  // Optional weights are made up, too, except for those whose tensors `exists`
  // denied to the spec.
  bool isDenied =
      weight.optional && configuration.tensorsDenied().contains(names[0].name);
  if (checkpoint->isMadeUp() && !isDenied)
    return &names[0];
  if (weight.optional)
    return nullptr;
  if (!fit)
    failMissing(reference, binding, names);
  isMissing = true;
  return &names[0];
}

/// axis d_k = 2 * f: defines the one factor that is new, f.
void Elaborator::bindSplits(const Binding &binding, Environment *scope) {
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
    auto number = whole && whole->statics() ? whole->statics()->asInteger()
                                            : std::nullopt;
    if (!number || added.empty())
      continue;
    if (factor < 1 || *number % factor)
      throw SpecError(Code::UnevenAxis, binding.place,
                      fmt::format("the axis {} = {} is not a multiple of {}",
                                  axis, *number, factor));
    bind(*scope, added, StaticValue(*number / factor));
  }
}

/// The positions of the tensor that are selected: at 2, at [0, 3].
std::vector<int64_t> Elaborator::selectedBy(const Binding &binding,
                                            Environment *scope) {
  std::vector<int64_t> selected;
  if (!binding.at)
    return selected;
  StaticValue at = staticValue(*binding.at, scope);
  std::vector<StaticValue> list{at};
  if (at.list())
    list = **at.list();
  for (const StaticValue &value : list) {
    auto number = value.asInteger();
    if (!number)
      throw SpecError(
          Code::NotAnInteger, binding.at->range.begin,
          fmt::format("`at` selects by integers, but this is {}", value.str()));
    selected.push_back(*number);
  }
  return selected;
}

/// Throws SpecError for a tensor of integers or bytes.
static void failNoNumbers(const Binding &binding, const std::string &tensor,
                          std::string_view format) {
  throw SpecError(
      Code::TensorType, binding.place,
      fmt::format("tensor {} has elements of type {}, which cannot be weights",
                  tensor, format),
      {"Weights are f64, f32, f16 or bf16. A spec cannot express yet what "
       "integers of a",
       "checkpoint stand for, such as quantized weights with their scales: use "
       "the model as it",
       "was before quantization."},
      binding.source->range);
}

/// Records the weights of each instance of a block, for the messages of
/// `check`.
void Elaborator::notePlace(const std::string &prefix, const Instance &instance,
                           const Weight &weight) {
  Placed &placed = instances[prefix];
  if (placed.block.empty() && instance.block)
    placed.block = instance.block->name;
  if (std::ranges::find(placed.weights, weight.name) == placed.weights.end())
    placed.weights.push_back(weight.name);
}

/// The tensor that one member of a weight is read from, and how the table lays
/// it out.
struct Elaborator::TensorOfMember {
  const Weight &weight;
  const Binding &binding;
  const TensorName &tensor;
  /// The checkpoint lacks the tensor, which is only noted in `fit`.
  bool isMissing;
  /// Its axes are stored in the opposite order.
  bool reversed;
  /// The value of `at`.
  std::vector<int64_t> selected;
  /// The size of a factor of an axis.
  std::function<int64_t(const Expr &)> sizeOf;

  /// The shape that the tensor must have according to the table.
  std::vector<int64_t> wantedShape() const {
    return storedShape(weight, binding, reversed, sizeOf);
  }
};

std::optional<Storage> Elaborator::bindMember(const WeightReference &reference,
                                              const Binding &binding,
                                              const Members &members,
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
  notePlace(prefix.name, instance, weight);
  bool isMissing = false;
  const TensorName *chosen = chosenTensor(reference, binding, names, isMissing);
  if (!chosen)
    return std::nullopt;
  pattern = chosen->pattern;
  bindSplits(binding, scope);
  std::vector<int64_t> selected = selectedBy(binding, scope);
  const MatrixUse &use = matrixUseIn(instance.block);
  bool mayBeReversed = !binding.axes && !ownIndex && weight.dims.size() == 2 &&
                       storesLinearsTransposed(instance);
  bool reversed = mayBeReversed && use.linear.count(weight.name) != 0;
  auto sizeOf = [this, scope](const Expr &factor) -> int64_t {
    // The size may be defined by the scope of a block, or by the table.
    if (auto number = size(factor, scope).asNumber())
      return *number;
    throw SpecError(
        Code::NotASize, factor.range.begin,
        fmt::format("{} has no known size here", spec::text(factor)));
  };
  const TensorOfMember member{weight,   binding,  *chosen, isMissing,
                              reversed, selected, sizeOf};
  const checkpoint::StoredTensor stored = storedTensor(member);
  if (mayBeReversed && use.unclear.count(weight.name) &&
      stored.shape.size() == 2 && stored.shape[0] == stored.shape[1])
    failUnclear(weight, binding);
  return storageOf(member, stored);
}

checkpoint::StoredTensor
Elaborator::storedTensor(const TensorOfMember &member) {
  const std::string &name = member.tensor.name;
  if (checkpoint->isMadeUp())
    checkpoint->makeUp(name, member.wantedShape());
  checkpoint::StoredTensor stored{checkpoint::DType::F32, {}, {}};
  if (!member.isMissing)
    stored = checkpoint->tensors().at(name);
  else
    stored.shape = noteMissing(name, member.wantedShape());
  if (!stored.format().isReal)
    failNoNumbers(member.binding, name, stored.format().name);
  return stored;
}

Storage Elaborator::storageOf(const TensorOfMember &member,
                              const checkpoint::StoredTensor &stored) {
  const std::string &name = member.tensor.name;
  Piece piece;
  auto laidOut = [&](const std::vector<int64_t> &shape) {
    return layOut(member.weight, member.binding, name, shape, member.reversed,
                  member.selected, member.sizeOf, piece);
  };
  Storage storage;
  try {
    storage = laidOut(stored.shape);
  } catch (const SpecError &) {
    if (!fit || member.isMissing)
      throw;
    auto wanted = member.wantedShape();
    storage = laidOut(wanted);
    fit->reshaped[name] = wanted;
  }
  storage.added = member.tensor.added;
  storage.dtype = stored.format().name;
  used.insert(name);
  if (!piece.chosen.empty()) {
    Pieces &pieces = shared[name];
    pieces.total = piece.total;
    pieces.taken.insert(piece.chosen);
    pieces.place = member.binding.place;
  }
  return storage;
}

//===----------------------------------------------------------------------===//
// Missing tensors
//===----------------------------------------------------------------------===//

/// A configuration may declare any number of layers whose tensors are all
/// missing: beyond some number the spec does not fit at all.
std::vector<int64_t> Elaborator::noteMissing(const std::string &tensor,
                                             std::vector<int64_t> wanted) {
  if (fit->missing.size() > 2 * checkpoint->tensors().size() + 256)
    throw std::runtime_error("most of the tensors that it names are missing");
  fit->missing[tensor] = wanted;
  return wanted;
}

/// A square matrix fits both ways, and whether it is used as a linear map is
/// known only for direct uses.
void Elaborator::failUnclear(const Weight &weight, const Binding &binding) {
  std::string rows = spec::text(*weight.dims[0]),
              columns = spec::text(*weight.dims[1]);
  if (rows == columns)
    columns += "'";
  throw SpecError(
      Code::UnclearTranspose, binding.place,
      fmt::format("the equations do not show whether {} is stored transposed",
                  weight.name),
      {fmt::format("They use {} under another name: as an argument, or in a "
                   "definition.",
                   weight.name),
       fmt::format("Give its layout: `as [{1}, {0}]` if the file has the right "
                   "operand of @ transposed, else `as [{0}, {1}]`.",
                   rows, columns)},
      binding.source->range);
}

/// Suggests up to three tensors with similar names.
void Elaborator::failMissing(const WeightReference &reference,
                             const Binding &binding,
                             const std::vector<TensorName> &names) {
  const Weight &weight = *reference.weight;
  const Instance &instance = *reference.instance;
  std::vector<std::pair<size_t, std::string>> near;
  for (const auto &[name, tensor] : checkpoint->tensors()) {
    size_t best = std::string::npos;
    for (const TensorName &wanted : names)
      best = std::min(best, editDistance(wanted.name, name));
    near.emplace_back(best, name);
  }
  std::sort(near.begin(), near.end());
  std::vector<std::string> notes;
  std::string owner =
      instance.block ? "block " + instance.block->name : "the model";
  notes.push_back(fmt::format("needed for {}{} of {}", weight.name,
                              spec::text(weight.dims), owner));
  for (size_t k = 0; k < near.size() && k < 3; ++k)
    if (near[k].first <= names[0].name.size() / 3 + 1) {
      const auto &shape = checkpoint->tensors().at(near[k].second).shape;
      notes.push_back(fmt::format(
          "{}{} [{}]", k ? "              " : "It does have: ", near[k].second,
          fmt::join(shape, ", ")));
    }
  notes.push_back("Write `?` after its declaration if models may lack it.");
  std::string wanted = names[0].name;
  for (size_t k = 1; k < names.size(); ++k)
    wanted += " or " + names[k].name;
  SpecError error(Code::MissingTensor, binding.place,
                  MissingTensor(wanted).what(), notes, binding.source->range);
  error.missingTensor = wanted;
  throw error;
}

} // namespace transfold::spec
