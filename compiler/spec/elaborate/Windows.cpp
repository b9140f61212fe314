// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Convolutions and patches: what reads windows of its input.

#include "compiler/spec/elaborate/Elaborator.h"
#include "compiler/spec/syntax/ExprText.h"

#include <fmt/format.h>

#include <algorithm>

namespace transfold::spec {

/// (rows + 2 · pad - positions of the kernel) div stride + 1
Dim Elaborator::rowsOfConvolution(const Tensor &x, const Tensor &kernel,
                                  const StaticValue &stride,
                                  const StaticValue &pad, const Expr &expr) {
  auto apply = [&](ScalarOp op, StaticValue a, StaticValue b) {
    return applyStatic(op, {a, b}, expr);
  };
  StaticValue rows =
      apply(ScalarOp::Add, StaticValue::ofSize(x.axis(0).size),
            apply(ScalarOp::Multiply, StaticValue(int64_t(2)), pad));
  rows =
      apply(ScalarOp::Subtract, rows, StaticValue::ofSize(kernel.axis(0).size));
  rows = apply(ScalarOp::Add, apply(ScalarOp::IntegerDivide, rows, stride),
               StaticValue(int64_t(1)));
  return rows.asSize().value_or(Dim::atom("rows of " + spec::text(expr)));
}

/// Whether `border = "reflect"` is there. Throws SpecError for another one, and
/// where there are too few rows to reflect.
bool Elaborator::isReflected(const PrimitiveCall &call,
                             const StaticValue &pad) const {
  auto named = call.arguments.named.find("border");
  const Value *given = named != call.arguments.named.end() ? &named->second
                       : call.arguments.values.size() > 4
                           ? &call.arguments.values[4]
                           : nullptr;
  if (!given)
    return false;
  const Expr &expr = call.expr;
  const StaticValue *border = given->statics();
  const std::string *name = border ? border->text() : nullptr;
  if (!name || *name != "reflect")
    throw SpecError(
        expr.at,
        "the border of a convolution is \"reflect\", or zeros where "
        "nothing is said",
        {}, expr.range);
  auto beyond = pad.asInteger();
  auto rows = call.x.axis(0).size.asNumber();
  if (beyond && rows && *beyond >= *rows)
    throw SpecError(expr.at,
                    fmt::format("{} rows cannot reflect {} beyond their ends",
                                *rows, *beyond),
                    {"The padding is smaller than the number of rows."},
                    expr.range);
  auto length = call.x.axis(0).size.asAtom();
  if (beyond && length && info)
    info->least[*length] = std::max(info->least[*length], *beyond + 1);
  return true;
}

/// Of a row [n] the kernel is [k, d].
const Tensor &Elaborator::kernelOf(const PrimitiveCall &call) const {
  const CallArguments &arguments = call.arguments;
  const Tensor *kernel =
      arguments.values.size() > 1 ? arguments.values[1].tensor() : nullptr;
  bool isRow = call.x.rank() == 1;
  if (!isRow)
    wantRank(call, call.x, 2, "a matrix [n, c], or a row");
  const char *what = isRow ? "a kernel [k, d]" : "a kernel [k, c, d]";
  if (!kernel)
    throw SpecError(call.expr.at, fmt::format("`conv` needs {}", what), {},
                    call.expr.range);
  wantRank(call, *kernel, isRow ? 2 : 3, what);
  return *kernel;
}

Value Elaborator::convolutionOf(const PrimitiveCall &call) {
  const Expr &expr = call.expr;
  const CallArguments &arguments = call.arguments;
  const Tensor *kernel = &kernelOf(call);
  if (call.x.rank() == 2 &&
      !symbols.same(call.x.axis(1).size, kernel->axis(1).size))
    throw SpecError(expr.at, "the kernel has other channels than what it reads",
                    shapeLines({{spec::text(*arguments.exprs[0]), &call.x},
                                {spec::text(*arguments.exprs[1]), kernel}}),
                    expr.range);
  StaticValue stride = numberArgument(call, 2, "stride"),
              pad = numberArgument(call, 3, "pad");
  Dim length = rowsOfConvolution(call.x, *kernel, stride, pad, expr);
  Tensor input = settled(call.x, expr.at), weights = settled(*kernel, expr.at);
  Labels labels;
  Tensor out = result(
      {&input},
      {Axis{length, symbols.show(length)}, kernel->axis(kernel->rank() - 1)},
      {"r", "c"}, labels);
  out.value = sink->primitive("conv", {input.value, weights.value},
                              {exactOf(stride), exactOf(pad),
                               ExactScalar(int64_t(isReflected(call, pad)))},
                              nullptr, shapeOf(out), expr.at);
  return out;
}

Value Elaborator::patchesOf(const PrimitiveCall &call) {
  const Tensor &x = call.x;
  const Expr &expr = call.expr;
  wantRank(call, x, 3, "an image [c, H, W]");
  if (x.axes.size() != x.rank())
    throw SpecError(expr.at,
                    "an image is cut outside of families only, and this is "
                    "one for each member",
                    {}, expr.range);
  StaticValue p = numberArgument(call, 1, "p");
  auto apply = [&](ScalarOp op, StaticValue a, StaticValue b) {
    return applyStatic(op, {a, b}, expr);
  };
  auto axisSize = [&](unsigned k) {
    return StaticValue::ofSize(x.axis(k).size);
  };
  StaticValue rows =
      apply(ScalarOp::Multiply, apply(ScalarOp::Divide, axisSize(1), p),
            apply(ScalarOp::Divide, axisSize(2), p));
  StaticValue columns =
      apply(ScalarOp::Multiply, axisSize(0), apply(ScalarOp::Multiply, p, p));
  auto height = rows.asSize(), width = columns.asSize();
  if (!height || !width)
    throw SpecError(expr.at,
                    fmt::format("{} is no whole number of patches", shown(x)),
                    {}, expr.range);
  Tensor input = settled(x, expr.at);
  Labels labels;
  Tensor out = result({&input},
                      {Axis{*height, symbols.show(*height)},
                       Axis{*width, symbols.show(*width)}},
                      {"r", "c"}, labels);
  out.value = sink->primitive("patches", {input.value}, {exactOf(p)}, nullptr,
                              shapeOf(out), expr.at);
  return out;
}

} // namespace transfold::spec
