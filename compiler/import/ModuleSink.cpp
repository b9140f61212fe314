// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/import/ModuleSink.h"

#include "dialect/TensorNames.h"

#include <fmt/format.h>

using namespace mlir;
using namespace transfold;
using namespace transfold::importer;
using spec::BoundWeight;
using spec::Dim;
using spec::SpecError;
using spec::Storage;

ModuleSink::ModuleSink(ModuleOp module)
    : module(module), builder(module.getContext()) {}

void ModuleSink::begin(Block *body) {
  entry = body;
  nextArgument = 0;
  values.clear();
  bounds = {};
  loopVariables.clear();
  builder.setInsertionPointToEnd(body);
}

//===----------------------------------------------------------------------===//
// From the spec's notions to the dialect's
//===----------------------------------------------------------------------===//

Location ModuleSink::location(MLIRContext *context, const Place &at) {
  if (!at.source)
    return UnknownLoc::get(context);
  return FileLineColLoc::get(context, at.source->path, at.line, at.column);
}

Attribute ModuleSink::axis(MLIRContext *context, const Dim &dim,
                           const Place &at) {
  if (auto number = dim.asNumber())
    return xf::getAxis(context, *number);
  if (auto length = dim.asAtom())
    return StringAttr::get(context, *length);
  throw SpecError(
      at, fmt::format("an axis of {} positions cannot be compiled", dim.str()),
      {"Axes are numbers or single lengths when a model is compiled."});
}

SmallVector<Attribute> ModuleSink::shape(MLIRContext *context,
                                         const std::vector<Dim> &dims,
                                         const Place &at) {
  SmallVector<Attribute> axes;
  for (const Dim &dim : dims)
    axes.push_back(axis(context, dim, at));
  return axes;
}

ModuleSink::Handle ModuleSink::keep(Value value) {
  values.push_back(value);
  return static_cast<Handle>(values.size() - 1);
}

Location ModuleSink::here(const Place &at) const {
  return location(builder.getContext(), at);
}

ArrayAttr ModuleSink::labels(const spec::Labels &labels) {
  SmallVector<StringRef> names(labels.begin(), labels.end());
  return builder.getStrArrayAttr(names);
}

ArrayAttr ModuleSink::groups(const std::vector<spec::Labels> &groups) {
  SmallVector<Attribute> attributes;
  for (const spec::Labels &group : groups)
    attributes.push_back(labels(group));
  return builder.getArrayAttr(attributes);
}

xf::ExactAttr ModuleSink::exact(const ExactScalar &value) {
  return xf::ExactAttr::get(module.getContext(), value);
}

/// Constructs of the language that `check` knows and the compiler does not
/// lower: said at their place, before anything is built.
[[noreturn]] static void refuse(const spec::Place &at,
                                const std::string &what) {
  throw SpecError(at,
                  fmt::format("{} cannot be compiled by this version", what),
                  {"`transfold check` accepts it."});
}

//===----------------------------------------------------------------------===//
// Sources
//===----------------------------------------------------------------------===//

ModuleSink::Handle ModuleSink::argument(const std::string &,
                                        const std::vector<Dim> &, bool, Place) {
  return keep(entry->getArgument(nextArgument++));
}

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
/// The indices of a weight's tensors: of loops first, then of families.
struct Names {
  SmallVector<StringRef> indices;
  SmallVector<int64_t> extents;
};
} // namespace

/// The indices by their names in the table, which may be others than those of
/// the equations.
static Names namesOf(const BoundWeight &weight) {
  Names names;
  SmallVector<StringRef> written; // in the pattern, those of no index
  StringRef rest = weight.pattern;
  while (rest.contains('{')) {
    rest = rest.split('{').second;
    StringRef name = rest.split('}').first;
    if (!llvm::is_contained(llvm::make_first_range(weight.indices), name) &&
        !llvm::is_contained(written, name))
      written.push_back(name);
  }
  auto next = written.begin();
  for (const auto &[index, extent] : weight.indices) {
    bool isWritten = StringRef(weight.pattern).contains("{" + index + "}");
    names.indices.push_back(
        isWritten || next == written.end() ? StringRef(index) : *next++);
    names.extents.push_back(extent);
  }
  return names;
}

static bool liesAs(const Storage &a, const Storage &b) {
  return a.axes == b.axes && a.offset == b.offset;
}

/// Throws SpecError unless all members have one layout and one form of name.
static void checkMembers(const BoundWeight &weight, const Names &names) {
  for (size_t member = 0; member < weight.storage.size(); ++member) {
    const Storage &storage = weight.storage[member];
    if (!liesAs(storage, weight.storage[0]))
      throw SpecError(weight.place,
                      fmt::format("{} lies differently in {} and in {}",
                                  weight.name, weight.storage[0].tensor,
                                  storage.tensor),
                      {"The layers of one loop share a layout."});
    std::string name =
        xf::memberName(weight.pattern, names.indices, names.extents, member);
    if (storage.tensor != name)
      throw SpecError(
          weight.place,
          fmt::format("{} has names of more than one form: {} and {}",
                      weight.name, name, storage.tensor),
          {"The layers of one loop share one name with their number."});
  }
}

/// Whether the members of a family can be read as one weight.
static bool isUniform(const BoundWeight &weight) {
  Names names = namesOf(weight);
  for (size_t member = 0; member < weight.storage.size(); ++member) {
    const Storage &storage = weight.storage[member], &first = weight.storage[0];
    if (!liesAs(storage, first) || storage.dtype != first.dtype ||
        storage.added != first.added ||
        storage.tensor != xf::memberName(weight.pattern, names.indices,
                                         names.extents, member))
      return false;
  }
  return !weight.storage.empty();
}

/// The tensors of a family as one: of each the numbers that are read.
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

/// The layout with an axis in front for each index of `tensors`.
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

xf::StoredOp ModuleSink::stored(const BoundWeight &weight) {
  auto [slot, isNew] = storedWeights.try_emplace(weight.name);
  if (!isNew)
    return slot->second;
  if (weight.storage.empty())
    throw SpecError(weight.place,
                    fmt::format("{} lies in no tensor", weight.name));
  // Of a layer that differs from the others, the one tensor has a number where
  // the pattern has its index.
  const std::string &source =
      weight.indices.empty() ? weight.storage[0].tensor : weight.pattern;
  Names names = namesOf(weight);
  if (!weight.indices.empty())
    checkMembers(weight, names);
  MLIRContext *context = module.getContext();
  OpBuilder atTop(context);
  // Weights first, in the order in which the equations use them.
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
  slot->second = xf::StoredOp::create(
      atTop, here(weight.place), atTop.getStringAttr(weight.name),
      atTop.getStrArrayAttr(ArrayRef(names.indices).drop_back(weight.families)),
      atTop.getDenseI64ArrayAttr(
          ArrayRef(names.extents).drop_back(weight.families)),
      TypeAttr::get(xf::RealType::get(context, axes)),
      atTop.getStringAttr(source), tensors,
      withMembers(layoutOf(context, weight.storage[0]), tensors),
      added.isZero() ? xf::ExactAttr() : exact(added),
      dtype.empty() || dtype == "f32" ? StringAttr()
                                      : atTop.getStringAttr(dtype));
  return slot->second;
}

/// Member `number` of a family with a tensor for each member, by itself.
static BoundWeight memberOf(const BoundWeight &family, size_t number) {
  BoundWeight member = family;
  auto [index, size] = family.indices.back();
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

ModuleSink::Handle ModuleSink::weight(const BoundWeight &weight, Place at) {
  if (weight.families > 1 && !isUniform(weight))
    refuse(at, "a family of families of weights that lie differently");
  if (weight.families && !isUniform(weight)) {
    SmallVector<Value> members;
    for (int64_t k = 0; k < weight.indices.back().second; ++k)
      members.push_back(values[this->weight(memberOf(weight, k), at)]);
    return keep(xf::StackOp::create(builder, here(at), members));
  }
  xf::StoredOp source = stored(weight);
  SmallVector<Value> indices;
  for (const auto &[index, extent] :
       ArrayRef(weight.indices).drop_back(weight.families)) {
    Value variable = loopVariables.lookup(index);
    if (!variable)
      throw SpecError(at, fmt::format("{} is used outside the loop over {}",
                                      weight.name, index));
    indices.push_back(variable);
  }
  return keep(xf::WeightOp::create(builder, here(at),
                                   cast<xf::RealType>(source.getType()),
                                   source.getSymName(), indices));
}

ModuleSink::Handle ModuleSink::constant(const ExactScalar &value, Place at) {
  auto scalar = xf::RealType::get(builder.getContext(), ArrayRef<Attribute>{});
  return keep(xf::ConstantOp::create(builder, here(at), scalar, exact(value)));
}

ModuleSink::Handle
ModuleSink::integers(int64_t value, const std::vector<Dim> &dims, Place at) {
  MLIRContext *context = builder.getContext();
  auto type = xf::IntegralType::get(context, shape(context, dims, at));
  return keep(xf::IntegersOp::create(builder, here(at), type, value));
}

//===----------------------------------------------------------------------===//
// Arithmetic
//===----------------------------------------------------------------------===//

template <typename Op>
ModuleSink::Handle ModuleSink::labelled(const spec::Operand &a,
                                        const spec::Operand &b,
                                        const spec::Labels &out, Place at) {
  return keep(Op::create(builder, here(at), values[a.value], values[b.value],
                         labels(a.labels), labels(b.labels), labels(out)));
}

ModuleSink::Handle ModuleSink::contract(const spec::Operand &a,
                                        const spec::Operand &b,
                                        const spec::Labels &out, Place at) {
  return labelled<xf::ContractOp>(a, b, out, at);
}

ModuleSink::Handle ModuleSink::binary(spec::Binary kind, const spec::Operand &a,
                                      const spec::Operand &b,
                                      const spec::Labels &out, Place at) {
  switch (kind) {
  case spec::Binary::Add:
    return labelled<xf::AddOp>(a, b, out, at);
  case spec::Binary::Subtract:
    return labelled<xf::SubtractOp>(a, b, out, at);
  case spec::Binary::Multiply:
    return labelled<xf::MultiplyOp>(a, b, out, at);
  case spec::Binary::Divide:
    return labelled<xf::DivideOp>(a, b, out, at);
  }
  llvm_unreachable("all kinds are above");
}

ModuleSink::Handle ModuleSink::scale(Handle x, const ExactScalar &factor,
                                     const std::string &written, Place at) {
  return keep(xf::ScaleOp::create(builder, here(at), values[x], exact(factor),
                                  written));
}

ModuleSink::Handle ModuleSink::unary(spec::Unary kind, Handle x, Place at) {
  Location loc = here(at);
  switch (kind) {
  case spec::Unary::Relu:
    return keep(xf::ReluOp::create(builder, loc, values[x]));
  case spec::Unary::Gelu:
    return keep(xf::GeluOp::create(builder, loc, values[x]));
  case spec::Unary::Sigmoid:
    return keep(xf::SigmoidOp::create(builder, loc, values[x]));
  case spec::Unary::Tanh:
    return keep(xf::TanhOp::create(builder, loc, values[x]));
  case spec::Unary::Exp:
    return keep(xf::ExpOp::create(builder, loc, values[x]));
  case spec::Unary::Negate:
    return keep(xf::NegateOp::create(builder, loc, values[x]));
  }
  llvm_unreachable("all kinds are above");
}

ModuleSink::Handle ModuleSink::power(Handle x, const ExactScalar &exponent,
                                     Place at) {
  return keep(
      xf::PowerOp::create(builder, here(at), values[x], exact(exponent)));
}

ModuleSink::Handle ModuleSink::rowWise(spec::RowWise kind, Handle x,
                                       const ExactScalar &epsilon,
                                       const spec::IndexFunction *mask,
                                       Place at) {
  Location loc = here(at);
  switch (kind) {
  case spec::RowWise::Softmax:
    return keep(xf::SoftmaxOp::create(
        builder, loc, values[x],
        mask ? maskOf(*mask, values[x].getType(), at) : xf::MaskAttr()));
  case spec::RowWise::Unit:
    return keep(xf::UnitOp::create(builder, loc, values[x]));
  case spec::RowWise::Standardize:
    return keep(
        xf::StandardizeOp::create(builder, loc, values[x], exact(epsilon)));
  case spec::RowWise::UnitRms:
    return keep(xf::UnitRmsOp::create(builder, loc, values[x], exact(epsilon)));
  }
  llvm_unreachable("all kinds are above");
}

ModuleSink::Handle ModuleSink::reduce(spec::Reduction kind, Handle x,
                                      unsigned axis, Place at) {
  Location loc = here(at);
  switch (kind) {
  case spec::Reduction::Sum:
    return keep(xf::SumOp::create(builder, loc, values[x], axis));
  case spec::Reduction::Mean:
    return keep(xf::MeanOp::create(builder, loc, values[x], axis));
  case spec::Reduction::Max:
    return keep(xf::MaxOp::create(builder, loc, values[x], axis));
  }
  llvm_unreachable("all kinds are above");
}

ModuleSink::Handle ModuleSink::roundTo(Handle x, const std::string &dtype,
                                       Place at) {
  return keep(xf::RoundOp::create(builder, here(at), values[x], dtype));
}

//===----------------------------------------------------------------------===//
// Selection and order
//===----------------------------------------------------------------------===//

ModuleSink::Handle ModuleSink::gather(Handle table, Handle indices, Place at) {
  return keep(
      xf::GatherOp::create(builder, here(at), values[table], values[indices]));
}

/// The type of `x` with axis `axis` replaced.
static xf::RealType withAxis(Value x, unsigned axis, Attribute size) {
  SmallVector<Attribute> shape(xf::getShape(x.getType()));
  shape[axis] = size;
  return xf::RealType::get(x.getContext(), shape);
}

ModuleSink::Handle ModuleSink::slice(Handle x, unsigned axis, int64_t offset,
                                     const Dim &size, Place at) {
  auto type =
      withAxis(values[x], axis, this->axis(builder.getContext(), size, at));
  if (offset == 0 && type == values[x].getType())
    return x; // x[:, a:b] takes all rows
  return keep(
      xf::SliceOp::create(builder, here(at), type, values[x], axis, offset));
}

ModuleSink::Handle ModuleSink::select(Handle x, unsigned axis, int64_t index,
                                      Place at) {
  return keep(xf::SelectOp::create(builder, here(at), values[x], axis, index));
}

ModuleSink::Handle
ModuleSink::rearrange(Handle x, const std::vector<spec::Labels> &from,
                      const std::vector<spec::Labels> &to,
                      const std::vector<std::pair<std::string, Dim>> &sizes,
                      Place at) {
  std::vector<Dim> dims;
  for (const spec::Labels &group : to) {
    Dim product = 1;
    for (const std::string &label : group)
      for (const auto &[name, size] : sizes)
        if (name == label)
          product = product * size;
    dims.push_back(product);
  }
  MLIRContext *context = builder.getContext();
  auto type = xf::RealType::get(context, shape(context, dims, at));
  return keep(xf::RearrangeOp::create(builder, here(at), type, values[x],
                                      groups(from), groups(to)));
}

ModuleSink::Handle ModuleSink::repeat(Handle x, unsigned axis, int64_t times,
                                      Place at) {
  return keep(xf::RepeatOp::create(builder, here(at), values[x], axis, times));
}

ModuleSink::Handle ModuleSink::append(Handle a, Handle b, unsigned axis,
                                      Place at) {
  auto first = xf::getNumber(xf::getShape(values[a].getType())[axis]);
  auto second = xf::getNumber(xf::getShape(values[b].getType())[axis]);
  if (!first || !second)
    refuse(at, "a value behind another along an axis with a length");
  auto type = withAxis(values[a], axis,
                       xf::getAxis(builder.getContext(), *first + *second));
  return keep(xf::AppendOp::create(builder, here(at), type, values[a],
                                   values[b], axis));
}

ModuleSink::Handle ModuleSink::patches(Handle image, const ExactScalar &size,
                                       Place at) {
  for (Attribute axis : xf::getShape(values[image].getType()))
    if (!xf::getNumber(axis))
      refuse(at, "an image whose size is a length");
  // The elaborator has seen that squares of this size fill the image.
  auto side = static_cast<int64_t>(size.toDouble());
  return keep(xf::PatchesOp::create(builder, here(at), values[image], side));
}

ModuleSink::Handle ModuleSink::primitive(
    const std::string &name, const std::vector<Handle> &operands,
    const std::vector<ExactScalar> &statics, const spec::IndexFunction *angles,
    const std::vector<Dim> &dims, Place at) {
  if (name == "patches")
    return patches(operands[0], statics[0], at);
  if (name == "top")
    return keep(xf::TopOp::create(builder, here(at),
                                  static_cast<int64_t>(statics[0].toDouble()),
                                  values[operands[0]]));
  if (name == "softmax_where")
    return keep(xf::SoftmaxOp::create(builder, here(at), values[operands[0]],
                                      xf::MaskAttr(), values[operands[1]]));
  if (name == "rotate")
    return rotate(operands[0], *angles, at);
  if (name == "conv")
    return convolution(operands[0], operands[1],
                       static_cast<int64_t>(statics[0].toDouble()),
                       static_cast<int64_t>(statics[1].toDouble()), dims, at);
  refuse(at, "`" + name + "`");
}

//===----------------------------------------------------------------------===//
// The layer loop
//===----------------------------------------------------------------------===//

std::vector<ModuleSink::Handle> ModuleSink::loop(
    const std::string &variable, int64_t count,
    const std::vector<Handle> &carried,
    const std::function<std::vector<Handle>(const std::vector<Handle> &)> &body,
    Place at) {
  Location loc = here(at);
  SmallVector<Value> inits;
  for (Handle handle : carried)
    inits.push_back(values[handle]);
  auto layers = xf::LayersOp::create(builder, loc, ValueRange(inits).getTypes(),
                                     count, inits);
  Block *block = builder.createBlock(&layers.getBody());
  Value layer = block->addArgument(builder.getIndexType(), loc);
  std::vector<Handle> inside;
  for (Value init : inits)
    inside.push_back(keep(block->addArgument(init.getType(), loc)));

  Value outer = loopVariables.lookup(variable);
  loopVariables[variable] = layer;
  SmallVector<Value> next;
  for (Handle handle : body(inside))
    next.push_back(values[handle]);
  xf::YieldOp::create(builder, loc, next);
  loopVariables[variable] = outer;

  builder.setInsertionPointAfter(layers);
  std::vector<Handle> results;
  for (Value result : layers.getResults())
    results.push_back(keep(result));
  return results;
}
