// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/import/ModuleSink.h"

#include <fmt/format.h>

using namespace mlir;
using namespace transfold;
using namespace transfold::importer;
using spec::Dim;
using spec::SpecError;

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
// From the elaborator's types to those of the dialect
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

void importer::refuse(const spec::Place &at, const std::string &what) {
  throw SpecError(
      at, fmt::format("{} is not supported yet", what),
      {"docs/language.md lists what is refused: \"What works today\"."});
}

//===----------------------------------------------------------------------===//
// Sources
//===----------------------------------------------------------------------===//

ModuleSink::Handle ModuleSink::argument(const std::string &,
                                        const std::vector<Dim> &, bool, Place) {
  return keep(entry->getArgument(nextArgument++));
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
  case spec::Binary::Maximum:
    return labelled<xf::MaximumOp>(a, b, out, at);
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
  case spec::Unary::Abs:
    return keep(xf::AbsOp::create(builder, loc, values[x]));
  case spec::Unary::Exp:
    return keep(xf::ExpOp::create(builder, loc, values[x]));
  case spec::Unary::Log2:
    return keep(xf::Log2Op::create(builder, loc, values[x]));
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

ModuleSink::Handle ModuleSink::clamp(Handle x, const ExactScalar *least,
                                     const ExactScalar *most, Place at) {
  auto bound = [&](const ExactScalar *number) {
    return number ? exact(*number) : xf::ExactAttr();
  };
  return keep(xf::ClampOp::create(builder, here(at), values[x].getType(),
                                  values[x], bound(least), bound(most)));
}

ModuleSink::Handle ModuleSink::rowWise(spec::RowWise kind, Handle x,
                                       const ExactScalar &epsilon, Place at) {
  Location loc = here(at);
  switch (kind) {
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

ModuleSink::Handle
ModuleSink::softmax(Handle x, const spec::SoftmaxParts &parts, Place at) {
  auto valueOf = [&](std::optional<Handle> handle) {
    return handle ? values[*handle] : Value();
  };
  xf::MaskAttr mask;
  if (parts.mask)
    mask = maskOf(*parts.mask, values[x].getType(), at);
  return keep(xf::SoftmaxOp::create(builder, here(at), values[x], mask,
                                    valueOf(parts.among), valueOf(parts.sink)));
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
  return keep(xf::RoundOp::create(builder, here(at), values[x],
                                  *xf::symbolizeFormat(dtype)));
}

//===----------------------------------------------------------------------===//
// Selection and order
//===----------------------------------------------------------------------===//

ModuleSink::Handle ModuleSink::gather(Handle table, Handle indices, Place at) {
  return keep(
      xf::GatherOp::create(builder, here(at), values[table], values[indices]));
}

/// The type of `x` with the size of axis `axis` replaced.
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
    refuse(at, "concatenation along a dynamic axis");
  auto type = withAxis(values[a], axis,
                       xf::getAxis(builder.getContext(), *first + *second));
  return keep(xf::AppendOp::create(builder, here(at), type, values[a],
                                   values[b], axis));
}

ModuleSink::Handle ModuleSink::patches(Handle image, const ExactScalar &size,
                                       Place at) {
  for (Attribute axis : xf::getShape(values[image].getType()))
    if (!xf::getNumber(axis))
      refuse(at, "an image of dynamic size");
  // The elaborator has checked that squares of this size fill the image.
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
    return keep(xf::TopKMaskOp::create(
        builder, here(at), static_cast<int64_t>(statics[0].toDouble()),
        values[operands[0]]));
  if (name == "rotate")
    return rotate(operands[0], *angles, at);
  if (name == "windows")
    return windows(operands[0], statics, dims, at);
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
