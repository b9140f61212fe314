// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Weights as stored in the checkpoint. Members of a family with one tensor each
// are one weight if their layouts are alike; otherwise they become a stack of
// weights.

#include "compiler/import/StepImporter.h"

#include "compiler/spec/syntax/Diagnostic.h"
#include "dialect/weights/TensorNames.h"

#include <fmt/format.h>

using namespace mlir;
using namespace transfold;
using namespace transfold::importer;
using spec::BoundWeight;
using spec::SpecError;
using spec::Storage;

/// The offset and strides of a weight, in elements of its tensor.
static xf::LayoutAttr layoutOf(MLIRContext *context, const Storage &storage) {
  SmallVector<int64_t> counts, sizes, strides;
  for (const auto &factors : storage.axes) {
    counts.push_back(factors.size());
    for (const Storage::Factor &factor : factors) {
      sizes.push_back(factor.size);
      strides.push_back(factor.stride);
    }
  }
  return xf::LayoutAttr::get(context, storage.offset, counts, sizes, strides);
}

namespace {
/// The indices of the tensors of a weight: of loops first, then of families.
struct Names {
  SmallVector<StringRef> indices;
  SmallVector<int64_t> extents;
};
} // namespace

/// The indices by their names in the table, which may differ from those in the
/// equations.
static Names namesOf(const BoundWeight &weight) {
  Names names;
  SmallVector<StringRef> written; // in the pattern, without those of an index
  StringRef rest = weight.pattern;
  while (rest.contains('{')) {
    rest = rest.split('{').second;
    StringRef name = rest.split('}').first;
    if (!llvm::is_contained(llvm::make_first_range(weight.indices), name) &&
        !llvm::is_contained(written, name) && !name.contains(' '))
      written.push_back(name);
  }
  auto next = written.begin();
  for (const auto &[index, extent] : weight.indices) {
    bool isWritten = xf::hasPlaceholder(weight.pattern, index);
    names.indices.push_back(
        isWritten || next == written.end() ? StringRef(index) : *next++);
    names.extents.push_back(extent);
  }
  return names;
}

/// The name that the pattern gives the tensor of a member; the last index is
/// the fastest.
static std::string nameOf(const BoundWeight &weight, const Names &names,
                          size_t member) {
  return xf::memberName(weight.pattern, names.indices, names.extents,
                        static_cast<int64_t>(member));
}

/// Whether `b` has the layout of `a`, `distance` elements further on.
static bool liesAs(const Storage &a, const Storage &b, int64_t distance = 0) {
  return a.axes == b.axes && a.offset + distance == b.offset;
}

/// The distance between layers that are in one tensor, 0 if they are the same;
/// nullopt if each layer has its own tensor.
static std::optional<int64_t> stepOf(const BoundWeight &weight) {
  if (weight.indices.empty() || weight.families ||
      StringRef(weight.pattern).contains('{'))
    return std::nullopt;
  return weight.storage.size() == 1
             ? 0
             : weight.storage[1].offset - weight.storage[0].offset;
}

/// Throws SpecError unless all members have the same layout and the same form
/// of name.
static void checkMembers(const BoundWeight &weight, const Names &names) {
  std::optional<int64_t> step = stepOf(weight);
  for (int64_t member = 0; member < std::ssize(weight.storage); ++member) {
    const Storage &first = weight.storage[0], &storage = weight.storage[member];
    if (step && (*step < 0 || !liesAs(first, storage, *step * member)))
      throw SpecError(spec::Code::LoopLayout, weight.place,
                      fmt::format("{} has layers at uneven distances in {}",
                                  weight.name, storage.tensor),
                      {"Layers that share a tensor must be stored in it one "
                       "after the other."});
    if (!step && !liesAs(first, storage))
      throw SpecError(spec::Code::LoopLayout, weight.place,
                      fmt::format("{} has different layouts in {} and in {}",
                                  weight.name, first.tensor, storage.tensor),
                      {"The layers of one loop must share a layout."});
    std::string name = nameOf(weight, names, member);
    if (storage.tensor != name)
      throw SpecError(
          spec::Code::LoopLayout,
          weight.named.source ? weight.named : weight.place,
          fmt::format("{} has names of more than one form: {} and {}",
                      weight.name, name, storage.tensor),
          {"The layers of one loop must share one name with their number, in "
           "constant steps: \"layer.{l}.\"."});
  }
}

/// Whether the members of a family can be read as one weight.
static bool isUniform(const BoundWeight &weight) {
  Names names = namesOf(weight);
  for (size_t member = 0; member < weight.storage.size(); ++member) {
    const Storage &storage = weight.storage[member], &first = weight.storage[0];
    if (!liesAs(storage, first) || storage.dtype != first.dtype ||
        storage.added != first.added ||
        storage.tensor != nameOf(weight, names, member))
      return false;
  }
  return !weight.storage.empty();
}

/// The tensors of a family as one, each with the elements that are read.
static xf::TensorsAttr
tensorsOf(MLIRContext *context, const BoundWeight &weight, const Names &names) {
  if (weight.families == 0)
    return {};
  const Storage &storage = weight.storage[0];
  int64_t size = storage.offset + 1;
  for (const auto &factors : storage.axes)
    for (const Storage::Factor &factor : factors)
      size += (factor.size - 1) * factor.stride;
  Builder builder(context);
  return xf::TensorsAttr::get(
      context,
      builder.getStrArrayAttr(
          ArrayRef(names.indices).take_back(weight.families)),
      ArrayRef(names.extents).take_back(weight.families), size);
}

/// The layout with one leading axis for each index of `tensors`.
static xf::LayoutAttr withMembers(xf::LayoutAttr layout,
                                  xf::TensorsAttr tensors) {
  if (!tensors)
    return layout;
  SmallVector<int64_t> counts(layout.getFactorCounts()),
      sizes(layout.getSizes()), strides(layout.getStrides());
  int64_t stride = tensors.getSize();
  for (int64_t extent : llvm::reverse(tensors.getExtents())) {
    counts.insert(counts.begin(), 1);
    sizes.insert(sizes.begin(), extent);
    strides.insert(strides.begin(), stride);
    stride *= extent;
  }
  return xf::LayoutAttr::get(layout.getContext(), layout.getOffset(), counts,
                             sizes, strides);
}

/// Weights of different loops may have the same name, for example if the last
/// layers differ from the others. Those with another storage get a number as
/// their suffix.
xf::StoredOp StepImporter::stored(const BoundWeight &weight) {
  auto &known = storedWeights[weight.name];
  for (const auto &[storage, op] : known)
    if (storage == weight.storage)
      return op;
  std::string symbol = weight.name;
  if (!known.empty())
    symbol += "." + std::to_string(known.size() + 1);
  if (weight.storage.empty())
    throw SpecError(spec::Code::MissingTensor, weight.place,
                    fmt::format("{} is not stored in any tensor", weight.name));
  // For a layer that differs from the others, the name of its only tensor has a
  // number where the pattern has an index.
  const std::string &source =
      weight.indices.empty() ? weight.storage[0].tensor : weight.pattern;
  Names names = namesOf(weight);
  if (!weight.indices.empty())
    checkMembers(weight, names);
  MLIRContext *context = module.getContext();
  OpBuilder atTop(context);
  // Weights come first, in the order in which the equations use them.
  Operation *after = nullptr;
  for (auto op : module.getOps<xf::StoredOp>())
    after = op;
  if (after)
    atTop.setInsertionPointAfter(after);
  else
    atTop.setInsertionPointToStart(module.getBody());
  const ExactScalar &added = weight.storage[0].added;
  const std::string &dtype = weight.storage[0].dtype;
  xf::TensorsAttr tensors = tensorsOf(context, weight, names);
  SmallVector<Attribute> axes;
  for (int64_t extent : tensors ? tensors.getExtents() : ArrayRef<int64_t>())
    axes.push_back(xf::getAxis(context, extent));
  llvm::append_range(axes, shape(context, weight.shape, weight.place));
  auto op = xf::StoredOp::create(
      atTop, location(builder.getContext(), weight.place),
      atTop.getStringAttr(symbol),
      atTop.getStrArrayAttr(ArrayRef(names.indices).drop_back(weight.families)),
      atTop.getDenseI64ArrayAttr(
          ArrayRef(names.extents).drop_back(weight.families)),
      TypeAttr::get(xf::RealType::get(context, axes)),
      xf::SourceAttr::get(context, atTop.getStringAttr(source),
                          dtype.empty() ? xf::Format::F32
                                        : *xf::symbolizeFormat(dtype),
                          tensors, stepOf(weight),
                          added.isZero() ? xf::ExactAttr() : exact(added)),
      withMembers(layoutOf(context, weight.storage[0]), tensors));
  known.emplace_back(weight.storage, op);
  return op;
}

/// Member `number` of a family with one tensor per member, as a separate
/// weight.
static BoundWeight memberOf(const BoundWeight &family, size_t number) {
  BoundWeight member = family;
  int64_t size = family.indices.back().second;
  std::string index = namesOf(family).indices.back().str();
  member.families = 0;
  member.indices.pop_back();
  member.name += "." + std::to_string(number);
  std::string placeholder = "{" + index + "}";
  if (size_t at = member.pattern.find(placeholder); at != std::string::npos)
    member.pattern.replace(at, placeholder.size(), std::to_string(number));
  member.storage.clear();
  for (size_t k = number; k < family.storage.size(); k += size)
    member.storage.push_back(family.storage[k]);
  return member;
}

/// The weight with the pattern that its names really have, if that is not the
/// one in the table: for "{2 * l}", or a loop over some of the layers.
static BoundWeight withPattern(const BoundWeight &weight) {
  BoundWeight result = weight;
  Names names = namesOf(weight);
  std::vector<std::string> tensors;
  bool isPattern = true;
  for (size_t member = 0; member < weight.storage.size(); ++member) {
    tensors.push_back(weight.storage[member].tensor);
    isPattern &= tensors.back() == nameOf(weight, names, member);
  }
  SmallVector<StringRef> indices;
  for (const auto &[index, extent] : weight.indices)
    indices.push_back(index);
  if (!isPattern && !tensors.empty())
    if (auto found = xf::patternOf(tensors, indices, names.extents))
      result.pattern = *found;
  return result;
}

Value StepImporter::create(const spec::step::ReadWeight &read, Place at) {
  return readWeight(read.weight, at);
}

Value StepImporter::readWeight(const BoundWeight &given, Place at) {
  BoundWeight weight = withPattern(given);
  if (weight.families && !isUniform(weight)) {
    if (weight.families > 1)
      refuse(at, "a family of families of weights with different layouts");
    SmallVector<Value> members;
    for (int64_t k = 0; k < weight.indices.back().second; ++k)
      members.push_back(readWeight(memberOf(weight, k), at));
    return xf::StackOp::create(builder, here(at), members);
  }
  xf::StoredOp source = stored(weight);
  SmallVector<Value> indices;
  for (const auto &[index, extent] :
       ArrayRef(weight.indices).drop_back(weight.families)) {
    Value variable = loopVariables.lookup(index);
    if (!variable)
      throw SpecError(spec::Code::LoopLayout, at,
                      fmt::format("{} is used outside the loop over {}",
                                  weight.name, index));
    indices.push_back(variable);
  }
  return xf::WeightOp::create(builder, here(at),
                              cast<xf::RealType>(source.getType()),
                              source.getSymName(), indices);
}
