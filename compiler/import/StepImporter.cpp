// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One `create` for each kind of step. Values have numbers in the equations;
// `values` maps these to MLIR values, and entries of finished loops are
// overwritten when a number is used again.

#include "compiler/import/StepImporter.h"

#include "compiler/spec/syntax/Diagnostic.h"
#include "dialect/Lengths.h"
#include "dialect/WithoutAxis.h"
#include "dialect/positions/Tables.h"

#include <fmt/format.h>
#include <llvm/Support/SaveAndRestore.h>

using namespace mlir;
using namespace transfold;
using namespace transfold::importer;
using spec::SpecError;
using spec::Step;

StepImporter::StepImporter(ModuleOp module)
    : module(module), builder(module.getContext()) {}

SmallVector<Value>
StepImporter::importEquations(const spec::Equations &equations, Block *body) {
  entry = body;
  values.assign(body->args_begin(), body->args_end());
  bounds = {};
  loopVariables.clear();
  builder.setInsertionPointToEnd(body);
  importSteps(equations.steps);
  SmallVector<Value> results;
  for (ValueId result : equations.results)
    results.push_back(get(result));
  return results;
}

void StepImporter::importSteps(const std::vector<Step> &steps) {
  for (const Step &step : steps) {
    llvm::SaveAndRestore inside(caller, step.caller.get());
    std::visit(
        [&]<typename Operation>(const Operation &operation) {
          if constexpr (std::is_same_v<Operation, spec::step::Loop>)
            importLoop(operation, step.result, step.place);
          else
            set(step.result, create(operation, step.place));
        },
        step.operation);
  }
}

void StepImporter::set(ValueId id, Value value) {
  if (id >= std::ssize(values))
    values.resize(id + 1);
  values[id] = value;
}

/// Steps are in the order in which they are computed, so operands exist.
Value StepImporter::get(ValueId id) const {
  assert(values[id] && "a value is made before it is used");
  return values[id];
}

Value StepImporter::get(std::optional<ValueId> id) const {
  return id ? get(*id) : Value();
}

//===----------------------------------------------------------------------===//
// From the types of equations to those of the dialect
//===----------------------------------------------------------------------===//

/// Messages of later stages print this place, which is one in the spec.
Location StepImporter::location(MLIRContext *context, const Place &at) {
  if (!at.source)
    return UnknownLoc::get(context);
  return FileLineColLoc::get(context, at.source->path, at.line, at.column);
}

Attribute StepImporter::axis(MLIRContext *context, const Dim &dim,
                             const Place &at) {
  // Quotients that are not rounded down are not sizes.
  const auto name = dim.asAtom();
  if ((name && !isDerivedLength(*name)) || Dim::parse(dim.str()) == dim)
    return xf::axisOf(context, dim);
  throw SpecError(
      spec::Code::NotSupported, at,
      fmt::format("an axis of {} positions cannot be compiled", dim.str()),
      {"Axes are numbers, lengths, and sums, products and quotients (`div`) of "
       "them when a model is compiled."});
}

SmallVector<Attribute> StepImporter::shape(MLIRContext *context,
                                           const std::vector<Dim> &dims,
                                           const Place &at) {
  SmallVector<Attribute> axes;
  for (const Dim &dim : dims)
    axes.push_back(axis(context, dim, at));
  return axes;
}

Location StepImporter::callAt(const spec::CallSite &call) {
  if (auto known = calls.find(&call); known != calls.end())
    return known->second;
  Location at = location(builder.getContext(), call.at);
  if (call.outer)
    at = CallSiteLoc::get(at, callAt(*call.outer));
  calls.insert({&call, at});
  return at;
}

/// Where the equation is written, and the calls that inlined it.
Location StepImporter::here(const Place &at) {
  Location written = location(builder.getContext(), at);
  if (!caller || !at.source)
    return written;
  return CallSiteLoc::get(written, callAt(*caller));
}

ArrayAttr StepImporter::labels(const spec::Labels &labels) {
  SmallVector<StringRef> names(labels.begin(), labels.end());
  return builder.getStrArrayAttr(names);
}

ArrayAttr StepImporter::groups(const std::vector<spec::Labels> &groups) {
  SmallVector<Attribute> attributes;
  for (const spec::Labels &group : groups)
    attributes.push_back(labels(group));
  return builder.getArrayAttr(attributes);
}

xf::ExactAttr StepImporter::exact(const ExactScalar &value) {
  return xf::ExactAttr::get(module.getContext(), value);
}

void importer::refuse(const spec::Place &at, const std::string &what) {
  throw SpecError(
      spec::Code::NotSupported, at,
      fmt::format("{} is not supported yet", what),
      {"docs/language.md lists what is refused: \"What works today\"."});
}

//===----------------------------------------------------------------------===//
// Sources
//===----------------------------------------------------------------------===//

Value StepImporter::create(const spec::step::Constant &constant, Place at) {
  auto scalar = xf::RealType::get(builder.getContext(), ArrayRef<Attribute>{});
  return xf::ConstantOp::create(builder, here(at), scalar,
                                exact(constant.value));
}

Value StepImporter::create(const spec::step::Fill &fill, Place at) {
  MLIRContext *context = builder.getContext();
  auto type = xf::IntegralType::get(context, shape(context, fill.shape, at));
  return xf::IntegersOp::create(builder, here(at), type, fill.value);
}

//===----------------------------------------------------------------------===//
// Arithmetic
//===----------------------------------------------------------------------===//

template <typename Op>
Value StepImporter::labelled(const spec::Operand &a, const spec::Operand &b,
                             const spec::Labels &out, Place at) {
  return Op::create(builder, here(at), get(a.value), get(b.value),
                    labels(a.labels), labels(b.labels), labels(out));
}

Value StepImporter::create(const spec::step::Contract &product, Place at) {
  return labelled<xf::ContractOp>(product.a, product.b, product.out, at);
}

Value StepImporter::create(const spec::step::Elementwise &operation, Place at) {
  const auto &[kind, a, b, out] = operation;
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

Value StepImporter::create(const spec::step::Scale &scale, Place at) {
  return xf::ScaleOp::create(builder, here(at), get(scale.x),
                             exact(scale.factor), scale.written);
}

Value StepImporter::create(const spec::step::Apply &apply, Place at) {
  Location loc = here(at);
  Value x = get(apply.x);
  switch (apply.kind) {
  case spec::Unary::Relu:
    return xf::ReluOp::create(builder, loc, x);
  case spec::Unary::Gelu:
    return xf::GeluOp::create(builder, loc, x);
  case spec::Unary::Sigmoid:
    return xf::SigmoidOp::create(builder, loc, x);
  case spec::Unary::Tanh:
    return xf::TanhOp::create(builder, loc, x);
  case spec::Unary::Abs:
    return xf::AbsOp::create(builder, loc, x);
  case spec::Unary::Exp:
    return xf::ExpOp::create(builder, loc, x);
  case spec::Unary::Log2:
    return xf::Log2Op::create(builder, loc, x);
  case spec::Unary::Log1p:
    return xf::Log1pOp::create(builder, loc, x);
  case spec::Unary::Negate:
    return xf::NegateOp::create(builder, loc, x);
  }
  llvm_unreachable("all kinds are above");
}

Value StepImporter::create(const spec::step::Power &power, Place at) {
  return xf::PowerOp::create(builder, here(at), get(power.x),
                             exact(power.exponent));
}

Value StepImporter::create(const spec::step::Clamp &clamp, Place at) {
  auto bound = [&](const std::optional<ExactScalar> &number) {
    return number ? exact(*number) : xf::ExactAttr();
  };
  Value x = get(clamp.x);
  return xf::ClampOp::create(builder, here(at), x.getType(), x,
                             bound(clamp.least), bound(clamp.most));
}

Value StepImporter::create(const spec::step::Normalize &normalize, Place at) {
  Location loc = here(at);
  Value x = get(normalize.x);
  switch (normalize.kind) {
  case spec::RowWise::Unit:
    return xf::UnitOp::create(builder, loc, x);
  case spec::RowWise::Standardize:
    return xf::StandardizeOp::create(builder, loc, x, exact(normalize.epsilon));
  case spec::RowWise::UnitRms:
    return xf::UnitRmsOp::create(builder, loc, x, exact(normalize.epsilon));
  }
  llvm_unreachable("all kinds are above");
}

Value StepImporter::create(const spec::step::Softmax &softmax, Place at) {
  Value x = get(softmax.x);
  xf::MaskAttr mask;
  if (softmax.mask)
    mask = maskOf(*softmax.mask, x.getType(), at);
  return xf::SoftmaxOp::create(builder, here(at), x, mask, get(softmax.among),
                               get(softmax.sink));
}

Value StepImporter::create(const spec::step::Reduce &reduce, Place at) {
  Location loc = here(at);
  Value x = get(reduce.x);
  switch (reduce.kind) {
  case spec::Reduction::Sum:
    return xf::SumOp::create(builder, loc, x, reduce.axis);
  case spec::Reduction::Mean:
    return xf::MeanOp::create(builder, loc, x, reduce.axis);
  case spec::Reduction::Max:
    return xf::MaxOp::create(builder, loc, x, reduce.axis);
  }
  llvm_unreachable("all kinds are above");
}

Value StepImporter::create(const spec::step::Round &round, Place at) {
  return xf::RoundOp::create(builder, here(at), get(round.x),
                             *xf::symbolizeFormat(round.dtype));
}

//===----------------------------------------------------------------------===//
// Selection and order
//===----------------------------------------------------------------------===//

Value StepImporter::create(const spec::step::Gather &gather, Place at) {
  return xf::GatherOp::create(builder, here(at), get(gather.table),
                              get(gather.indices));
}

/// The type of `x` with the size of axis `axis` replaced.
static xf::RealType withAxis(Value x, unsigned axis, Attribute size) {
  SmallVector<Attribute> shape(xf::getShape(x.getType()));
  shape[axis] = size;
  return xf::RealType::get(x.getContext(), shape);
}

Value StepImporter::create(const spec::step::Slice &slice, Place at) {
  Value x = get(slice.x);
  auto type =
      withAxis(x, slice.axis, axis(builder.getContext(), slice.size, at));
  if (slice.offset == 0 && type == x.getType())
    return x; // x[:, a:b] takes all rows
  return xf::SliceOp::create(builder, here(at), type, x, slice.axis,
                             slice.offset);
}

Value StepImporter::create(const spec::step::Select &select, Place at) {
  return xf::SelectOp::create(builder, here(at), get(select.x), select.axis,
                              select.index);
}

/// The size of an axis of the result is the product of the sizes of its labels.
Value StepImporter::create(const spec::step::Rearrange &rearrange, Place at) {
  std::vector<Dim> dims;
  for (const spec::Labels &group : rearrange.to) {
    Dim product = 1;
    for (const std::string &label : group)
      for (const auto &[name, size] : rearrange.sizes)
        if (name == label)
          product = product * size;
    dims.push_back(product);
  }
  MLIRContext *context = builder.getContext();
  auto type = xf::RealType::get(context, shape(context, dims, at));
  return xf::RearrangeOp::create(builder, here(at), type, get(rearrange.x),
                                 groups(rearrange.from), groups(rearrange.to));
}

Value StepImporter::create(const spec::step::Repeat &repeat, Place at) {
  return xf::RepeatOp::create(builder, here(at), get(repeat.x), repeat.axis,
                              repeat.times);
}

Value StepImporter::create(const spec::step::Append &append, Place at) {
  Value a = get(append.a), b = get(append.b);
  auto size = [&](Value x) {
    return *xf::getDim(xf::getShape(x.getType())[append.axis]);
  };
  auto type = withAxis(a, append.axis,
                       xf::axisOf(builder.getContext(), size(a) + size(b)));
  return xf::AppendOp::create(builder, here(at), type, a, b, append.axis);
}

Value StepImporter::create(const spec::step::Top &top, Place at) {
  return xf::TopKMaskOp::create(builder, here(at), top.count, get(top.x));
}

Value StepImporter::create(const spec::step::Unfold &unfold, Place at) {
  MLIRContext *context = builder.getContext();
  auto type = xf::RealType::get(context, shape(context, unfold.shape, at));
  return xf::UnfoldOp::create(builder, here(at), type, get(unfold.x),
                              unfold.stride, unfold.pad, unfold.isReflected);
}

/// S[t - 1] of a state that begins with zero is the state before position t, so
/// the recurrence computes it: for all positions it would be large.
Value StepImporter::create(const spec::step::Delay &delay, Place at) {
  if (Value before = statesBefore(get(delay.x), delay.axis, delay.by))
    return before;
  return xf::DelayOp::create(builder, here(at), get(delay.x), delay.axis,
                             delay.by);
}

/// The elaborator has checked that squares of this size fill the image.
Value StepImporter::create(const spec::step::Patches &patches, Place at) {
  Value image = get(patches.x);
  for (Attribute axis : xf::getShape(image.getType()))
    if (!xf::getNumber(axis))
      refuse(at, "an image of dynamic size");
  return xf::PatchesOp::create(builder, here(at), image, patches.size);
}

//===----------------------------------------------------------------------===//
// The layer loop
//===----------------------------------------------------------------------===//

/// Nested loops may use the same variable; the outer one becomes visible again
/// afterwards.
void StepImporter::importLoop(const spec::step::Loop &loop, ValueId result,
                              Place at) {
  Location loc = here(at);
  SmallVector<Value> inits;
  for (ValueId value : loop.carried)
    inits.push_back(get(value));
  auto layers = xf::LayersOp::create(builder, loc, ValueRange(inits).getTypes(),
                                     loop.count, inits);
  Block *block = builder.createBlock(&layers.getBody());
  Value layer = block->addArgument(builder.getIndexType(), loc);
  for (auto [k, init] : llvm::enumerate(inits))
    set(loop.current + int(k), block->addArgument(init.getType(), loc));

  Value outer = loopVariables.lookup(loop.variable);
  loopVariables[loop.variable] = layer;
  importSteps(loop.body);
  SmallVector<Value> next;
  for (ValueId value : loop.next)
    next.push_back(get(value));
  xf::YieldOp::create(builder, loc, next);
  loopVariables[loop.variable] = outer;

  builder.setInsertionPointAfter(layers);
  for (auto [k, value] : llvm::enumerate(layers.getResults()))
    set(result + int(k), value);
}

//===----------------------------------------------------------------------===//
// Recurrences
//===----------------------------------------------------------------------===//

/// `type` with an axis of positions at `axis`.
static xf::RealType withPositions(Type type, unsigned axis,
                                  Attribute positions) {
  SmallVector<Attribute> shape(xf::getShape(type));
  shape.insert(shape.begin() + axis, positions);
  return xf::RealType::get(type.getContext(), shape);
}

/// The states of all positions; the state after the last one is not read.
Value StepImporter::create(const spec::step::Recurrence &recurrence, Place at) {
  Location loc = here(at);
  SmallVector<Value> rows;
  SmallVector<int64_t> axes;
  for (const auto &[value, axis] : recurrence.rows) {
    rows.push_back(get(value));
    axes.push_back(axis);
  }
  Value initial = get(recurrence.initial);
  Attribute positions = xf::getShape(rows[0].getType())[axes[0]];
  Type states = withPositions(initial.getType(), recurrence.axis, positions);
  auto scan = xf::ScanOp::create(
      builder, loc, TypeRange{states, initial.getType()}, rows, initial, axes,
      ArrayRef<int64_t>{static_cast<int64_t>(recurrence.axis)},
      recurrence.backwards);
  OpBuilder::InsertionGuard guard(builder);
  Block *block = builder.createBlock(&scan.getBody());
  for (auto [k, row] : llvm::enumerate(rows))
    set(recurrence.firstRow + int(k),
        block->addArgument(xf::withoutAxis(row.getType(), axes[k]), loc));
  set(recurrence.state, block->addArgument(initial.getType(), loc));
  importSteps(recurrence.body);
  Value next = get(recurrence.next);
  xf::YieldOp::create(builder, loc, ValueRange{next, next});
  return scan.getResult(0);
}

Value StepImporter::statesBefore(Value states, unsigned axis, int64_t by) {
  auto scan = states.getDefiningOp<xf::ScanOp>();
  if (!scan || by != 1 || scan.getBackwards() ||
      scan.getResultAxes()[0] != axis || !xf::isZeroTable(scan.getInits()[0]))
    return {};
  if (scan.getResultAxes().size() == 2)
    return scan.getResult(1);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPoint(scan);
  auto made =
      xf::ScanOp::create(builder, scan.getLoc(),
                         TypeRange{states.getType(), states.getType(),
                                   scan.getResult(1).getType()},
                         scan.getRows(), scan.getInits(), scan.getRowAxes(),
                         ArrayRef<int64_t>{static_cast<int64_t>(axis),
                                           static_cast<int64_t>(axis)});
  made.getBody().takeBody(scan.getBody());
  made.getBody().front().getTerminator()->insertOperands(1,
                                                         made.getStates()[0]);
  for (Value &value : values)
    if (value == states)
      value = made.getResult(0);
  states.replaceAllUsesWith(made.getResult(0));
  scan.erase();
  return made.getResult(1);
}
