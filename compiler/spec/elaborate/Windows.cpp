// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Convolutions and patches: operations that read windows of their input.

#include "compiler/spec/elaborate/Elaborator.h"
#include "compiler/spec/syntax/Diagnostic.h"
#include "compiler/spec/syntax/ExprText.h"

#include <fmt/format.h>

#include <algorithm>

namespace transfold::spec {

/// The number of rows: (rows + 2 · pad - positions of the kernel) div stride +
/// 1.
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
  Dim length = rows.asSize().value_or(Dim::atom("rows of " + spec::text(expr)));
  needAtLeast(length, 1);
  return length;
}

/// Whether `border = "reflect"` is given. Throws SpecError for other values,
/// and if there are too few rows to reflect.
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
        Code::Convolution, expr.at,
        "the border of a convolution must be \"reflect\", or omitted for zeros",
        {}, expr.range);
  auto beyond = pad.asInteger();
  auto rows = call.x.axis(0).size.asNumber();
  if (beyond && rows && *beyond >= *rows)
    throw SpecError(Code::Convolution, expr.at,
                    fmt::format("{} rows cannot reflect {} beyond their ends",
                                *rows, *beyond),
                    {"The padding must be smaller than the number of rows."},
                    expr.range);
  if (beyond)
    needAtLeast(call.x.axis(0).size, *beyond + 1);
  return true;
}

/// The kernel; its shape is [k, d] if the input is a row [n], and [k, c] if
/// each channel is convolved by itself.
const Tensor &Elaborator::kernelOf(const PrimitiveCall &call) const {
  const CallArguments &arguments = call.arguments;
  const Tensor *kernel =
      arguments.values.size() > 1 ? arguments.values[1].tensor() : nullptr;
  bool isRow = call.x.rank() == 1;
  if (!isRow)
    wantRank(call, call.x, 2, "a matrix [n, c], or a row");
  const char *what =
      isRow ? "a kernel [k, d]"
            : "a kernel [k, c, d], or [k, c] for each channel by itself";
  if (!kernel)
    throw SpecError(Code::Convolution, call.expr.at,
                    fmt::format("`conv` needs {}", what), {}, call.expr.range);
  if (isRow || kernel->rank() != 2)
    wantRank(call, *kernel, isRow ? 2 : 3, what);
  return *kernel;
}

/// Throws SpecError if a size is unknown: the windows form a matrix of that
/// many columns.
void Elaborator::needNumbers(const Tensor &kernel, const Expr &expr) const {
  for (unsigned k = 0; k < std::min(kernel.rank(), 2u); ++k)
    if (!kernel.axis(k).size.asNumber())
      throw SpecError(
          Code::Convolution, expr.at,
          "the size and the channels of a convolution must be numbers",
          {fmt::format("The kernel is {}.", shown(kernel))}, expr.range);
}

/// y[t, (k c)] = x[t · stride + k - pad, c]; without c for a row. Meanwhile the
/// inputs of the members of a family are stored side by side in columns.
Tensor Elaborator::windowsOf(const Tensor &x, const Dim &length,
                             const Dim &width, step::Unfold unfold, Place at) {
  const size_t families = x.axes.size() - x.rank();
  const bool isRow = x.rank() == 1;
  Labels columns;
  std::vector<Labels> apart, rows;
  std::vector<std::pair<std::string, Dim>> sizes{{"t", length}, {"k", width}};
  Dim across = 1;
  auto addColumns = [&](const std::string &label, const Dim &size) {
    columns.push_back(label);
    sizes.emplace_back(label, size);
    across = across * size;
  };
  for (size_t k = 0; k < families; ++k) {
    addColumns("i" + std::to_string(x.axes[k].family), x.axes[k].size);
    apart.push_back({columns.back()});
  }
  if (!isRow)
    addColumns("c", x.axis(1).size);
  Tensor result = x;
  if (families) {
    rows = apart;
    rows.push_back({"n"});
    if (!isRow)
      rows.push_back({"c"});
    sizes.emplace_back("n", x.axis(0).size);
    result.value =
        emit(step::Rearrange{x.value, rows, {{"n"}, columns}, sizes}, at);
  }
  unfold.x = result.value;
  unfold.shape = {length, width};
  std::vector<Labels> windows{{"t"}, {"k"}};
  if (!columns.empty()) {
    unfold.shape.push_back(across);
    windows.push_back(columns);
  }
  result.value = emit(std::move(unfold), at);
  apart.push_back({"t"});
  apart.push_back(isRow ? Labels{"k"} : Labels{"k", "c"});
  if (!columns.empty())
    result.value =
        emit(step::Rearrange{result.value, windows, apart, sizes}, at);
  result.axes.resize(families);
  result.axes.push_back({length, symbols.show(length)});
  result.axes.push_back({isRow ? width : width * x.axis(1).size, ""});
  result.visible = {unsigned(families), unsigned(families) + 1};
  return result;
}

/// W[k, c, d] as W[(k c), d]; the kernel for a row is a matrix already.
Tensor Elaborator::matrixOf(const Tensor &kernel, Place at) {
  if (kernel.rank() == 2)
    return kernel;
  Tensor result = kernel;
  std::vector<Labels> before, after;
  std::vector<std::pair<std::string, Dim>> sizes;
  const size_t families = kernel.axes.size() - 3;
  for (size_t k = 0; k < families; ++k) {
    before.push_back({"i" + std::to_string(kernel.axes[k].family)});
    sizes.emplace_back(before.back()[0], kernel.axes[k].size);
  }
  after = before;
  before.insert(before.end(), {{"k"}, {"c"}, {"d"}});
  after.insert(after.end(), {{"k", "c"}, {"d"}});
  for (unsigned k = 0; k < 3; ++k)
    sizes.emplace_back(before[families + k][0], kernel.axis(k).size);
  result.value = emit(step::Rearrange{kernel.value, before, after, sizes}, at);
  result.axes.erase(result.axes.begin() + static_cast<long>(families));
  result.axes[families] = Axis{kernel.axis(0).size * kernel.axis(1).size, ""};
  result.visible = {unsigned(families), unsigned(families) + 1};
  return result;
}

/// Sums over the positions of windows [t, (k c)], each times its number of the
/// kernel [k, c].
Tensor Elaborator::eachChannel(const Tensor &windows, const Tensor &kernel,
                               Place at) {
  const Axis &width = kernel.axis(0), &channels = kernel.axis(1);
  auto familiesOf = [](const Tensor &x) {
    std::vector<Labels> labels;
    for (const Axis &axis : x.axes)
      if (axis.family)
        labels.push_back({"i" + std::to_string(axis.family)});
    return labels;
  };
  auto sizesOf = [&](const Tensor &x) {
    std::vector<std::pair<std::string, Dim>> sizes{
        {"t", windows.axis(0).size}, {"k", width.size}, {"c", channels.size}};
    for (const Axis &axis : x.axes)
      if (axis.family)
        sizes.emplace_back("i" + std::to_string(axis.family), axis.size);
    return sizes;
  };
  auto with = [](std::vector<Labels> labels,
                 std::initializer_list<Labels> more) {
    labels.insert(labels.end(), more);
    return labels;
  };
  Tensor row = kernel;
  row.value = emit(
      step::Rearrange{kernel.value, with(familiesOf(kernel), {{"k"}, {"c"}}),
                      with(familiesOf(kernel), {{"k", "c"}}), sizesOf(kernel)},
      at);
  row.axes.pop_back();
  row.axes.back() = Axis{width.size * channels.size, ""};
  row.visible.pop_back();
  Labels labels;
  Tensor product = result({&windows, &row}, {windows.axis(0), row.axis(0)},
                          {"t", "kc"}, labels);
  product.value =
      emit(step::Elementwise{Binary::Multiply,
                             {windows.value, labelsOf(windows, {"t", "kc"})},
                             {row.value, labelsOf(row, {"kc"})},
                             labels},
           at);
  const std::vector<Labels> families = familiesOf(product);
  product.value = emit(
      step::Rearrange{product.value, with(families, {{"t"}, {"k", "c"}}),
                      with(families, {{"t"}, {"k"}, {"c"}}), sizesOf(product)},
      at);
  product.axes.back() = channels;
  product.axes.back().family = 0;
  product.value = emit(step::Reduce{Reduction::Sum, product.value,
                                    unsigned(families.size()) + 1},
                       at);
  return product;
}

/// A convolution is a contraction of the windows of `x` with the kernel as a
/// matrix, so that later stages need no operation for it.
Value Elaborator::convolutionOf(const PrimitiveCall &call) {
  const Expr &expr = call.expr;
  const CallArguments &arguments = call.arguments;
  const Tensor *kernel = &kernelOf(call);
  const bool isOfEach = call.x.rank() == 2 && kernel->rank() == 2;
  if (call.x.rank() == 2 &&
      !symbols.same(call.x.axis(1).size, kernel->axis(1).size))
    throw SpecError(Code::Convolution, expr.at,
                    "the kernel has other channels than its input",
                    shapeLines({{spec::text(*arguments.exprs[0]), &call.x},
                                {spec::text(*arguments.exprs[1]), kernel}}),
                    expr.range);
  StaticValue stride = numberArgument(call, 2, "stride"),
              pad = numberArgument(call, 3, "pad");
  if (checkpoint)
    needNumbers(*kernel, expr);
  Dim length = rowsOfConvolution(call.x, *kernel, stride, pad, expr);
  step::Unfold unfold{.stride = stride.asInteger().value_or(1),
                      .pad = pad.asInteger().value_or(0),
                      .isReflected = isReflected(call, pad)};
  Tensor rows = windowsOf(settled(call.x, expr.at), length,
                          kernel->axis(0).size, std::move(unfold), expr.at);
  if (isOfEach)
    return eachChannel(rows, settled(*kernel, expr.at), expr.at);
  Tensor matrix = matrixOf(settled(*kernel, expr.at), expr.at);
  Labels labels;
  Tensor out = result({&rows, &matrix},
                      {Axis{length, symbols.show(length)}, matrix.axis(1)},
                      {"t", "d"}, labels);
  out.value = emit(step::Contract{{rows.value, labelsOf(rows, {"t", "k"})},
                                  {matrix.value, labelsOf(matrix, {"k", "d"})},
                                  labels},
                   expr.at);
  return out;
}

/// Sizes are divided exactly; a number of patches that is not an integer is
/// refused.
Value Elaborator::patchesOf(const PrimitiveCall &call) {
  const Tensor &x = call.x;
  const Expr &expr = call.expr;
  wantRank(call, x, 3, "an image [c, H, W]");
  if (x.axes.size() != x.rank())
    throw SpecError(Code::Convolution, expr.at,
                    "an image can be cut outside of families only, but this is "
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
  // 1.5 · 2 pieces would be a whole number, too.
  for (unsigned side : {1, 2})
    if (!apply(ScalarOp::Divide, axisSize(side), p).asSize())
      height = std::nullopt;
  if (!height || !width)
    throw SpecError(
        Code::Convolution, expr.at,
        fmt::format("{} is not a whole number of patches", shown(x)), {},
        expr.range);
  Tensor input = settled(x, expr.at);
  Labels labels;
  Tensor out = result({&input},
                      {Axis{*height, symbols.show(*height)},
                       Axis{*width, symbols.show(*width)}},
                      {"r", "c"}, labels);
  out.value =
      emit(step::Patches{input.value, p.asInteger().value_or(1)}, expr.at);
  return out;
}

} // namespace transfold::spec
