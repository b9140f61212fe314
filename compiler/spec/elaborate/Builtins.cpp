// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The primitives: scalar functions, and operations on tensors that are not
// written as operators.

#include "compiler/spec/elaborate/Elaborator.h"
#include "compiler/spec/syntax/Diagnostic.h"
#include "compiler/spec/syntax/ExprText.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <stdexcept>

namespace transfold::spec {

/// Checks the number and the names of arguments: an argument that no operation
/// reads would silently have no effect.
void Elaborator::checkArguments(const std::string &name,
                                const CallArguments &arguments,
                                const Expr &expr) {
  auto found = functions().find(name);
  if (found == functions().end())
    return;
  const Function &signature = found->second;
  for (const auto &[key, value] : arguments.named) {
    if (std::ranges::find(signature.names, key) != signature.names.end())
      continue;
    std::string known = signature.names.empty()
                            ? "Its arguments have no names."
                            : fmt::format("By name it takes {}.",
                                          fmt::join(signature.names, " and "));
    throw SpecError(Code::ArgumentName, expr.at,
                    fmt::format("`{}` has no argument `{}`", name, key),
                    {known}, expr.range);
  }
  needArguments(signature.least, signature.most, fmt::format("`{}`", name),
                arguments.values.size() + arguments.named.size(), expr);
}

/// Tries, in this order: functions of static values, roundings, scalar
/// functions if the first argument is not a tensor, and functions of tensors.
Value Elaborator::callBuiltin(const std::string &name, CallArguments &arguments,
                              const Expr &expr) {
  checkArguments(name, arguments, expr);
  Arguments &values = arguments.values;
  for (size_t k = 0; k < values.size(); ++k)
    values[k] = realOf(values[k], *arguments.exprs[k]);
  // The tensor comes first, so that min(0, x) and min(x, 0) are the same step.
  if ((name == "min" || name == "max") && values.size() == 2 &&
      values[1].tensor() && !values[0].tensor()) {
    std::swap(values[0], values[1]);
    std::swap(arguments.exprs[0], arguments.exprs[1]);
  }
  if (std::ranges::any_of(values, [](const Value &value) {
        return value.as<Undetermined>() != nullptr;
      }))
    return ofUndetermined(name, values);
  if (auto result = containerFunction(name, arguments, expr))
    return *result;
  if (name == "round") {
    if (!values[1].statics())
      throw SpecError(Code::WrongKind, expr.at,
                      fmt::format("a type must be a text, but this is {}",
                                  kindOf(values[1])),
                      {}, expr.range);
    StaticValue dtype = *values[1].statics();
    needKnown(dtype, *arguments.exprs[1]);
    if (dtype.isUnknown())
      return values[0];
    if (!dtype.text())
      throw SpecError(
          Code::WrongKind, expr.at,
          fmt::format("a type must be a text, but this is {}", dtype.kind()),
          {}, expr.range);
    return rounded(values[0], *dtype.text(), expr);
  }
  bool onTensor =
      !values.empty() && (values[0].tensor() || values[0].as<Given>());
  if (onTensor && (name == "f32" || name == "f16" || name == "bf16"))
    return rounded(values[0], name, expr);
  if (!onTensor) {
    if (auto op = scalarFunction(name, values.size()))
      return scalarOperation(*op, values, expr);
    // relu of a scalar that depends on an index.
    if (name == "relu" && values.size() == 1 && !values[0].as<Absent>())
      return scalarOperation(ScalarOp::Max,
                             {values[0], Value(StaticValue(int64_t(0)))}, expr);
  }
  return tensorFunction(name, arguments, expr);
}

Value Elaborator::rounded(const Value &x, const std::string &dtype,
                          const Expr &expr) {
  std::optional<ScalarOp> op;
  try {
    op = roundingTo(dtype);
  } catch (const std::domain_error &error) {
    throw SpecError(Code::Arithmetic, expr.at, error.what(), {}, expr.range);
  }
  if (!op)
    return x; // 64 bits: unchanged
  if (auto *tensor = x.tensor()) {
    Tensor result = *tensor;
    result.value =
        emit(step::Round{tensor->value, std::string(name(*op))}, expr.at);
    result.markComputed();
    return result;
  }
  return scalarOperation(*op, {x}, expr);
}

/// x between constant bounds; max(x, 0) becomes relu.
Tensor Elaborator::clamped(const std::string &name, const Tensor &x,
                           const CallArguments &arguments, const Expr &expr) {
  std::vector<ExactScalar> bounds;
  for (size_t k = 1; k < arguments.values.size(); ++k) {
    const StaticValue *bound = arguments.values[k].statics();
    if (!bound || !(bound->isUnknown() || bound->isNumber()))
      throw SpecError(
          Code::WrongKind, expr.at,
          fmt::format("the bounds of `{}` must be numbers, but {} is {}", name,
                      spec::text(*arguments.exprs[k]),
                      bound ? bound->kind() : kindOf(arguments.values[k])),
          {"For computed bounds, use max(x, a) and min(x, b)."}, expr.range);
    needKnown(*bound, *arguments.exprs[k]);
    bounds.push_back(bound->isUnknown() ? ExactScalar() : bound->toExact());
  }
  if (bounds.size() == 2 && bounds[1] < bounds[0])
    throw SpecError(Code::BoundsOrder, expr.at,
                    fmt::format("the bounds are {} and {}: the lower one comes "
                                "first",
                                bounds[0].str(), bounds[1].str()),
                    {}, expr.range);
  Tensor result = x;
  step::Clamp clamp{x.value, {}, {}};
  if (name != "min")
    clamp.least = bounds.front();
  if (name != "max")
    clamp.most = bounds.back();
  bool isRelu = clamp.least && !clamp.most && clamp.least->isZero();
  result.value = isRelu ? emit(step::Apply{Unary::Relu, x.value}, expr.at)
                        : emit(std::move(clamp), expr.at);
  result.markComputed();
  return result;
}

/// The rows must be the last axis, so the families of `x` move to the front.
/// Without a checkpoint ε may be unknown, and is replaced by 0.
Tensor Elaborator::rowWise(RowWise kind, const Tensor &x,
                           const StaticValue &epsilon, const Expr &expr) {
  if (x.rank() < 1)
    throw SpecError(Code::WrongRank, expr.at, "a scalar has no rows", {},
                    expr.range);
  Tensor out = settled(x, expr.at);
  out.markComputed();
  ExactScalar exact(int64_t(0));
  if (!epsilon.isUnknown()) {
    if (!epsilon.isNumber())
      throw SpecError(
          Code::WrongKind, expr.at,
          fmt::format("ε must be a number, but is {}", epsilon.kind()),
          whyNone("ε", epsilon), expr.range);
    exact = epsilon.toExact();
  }
  out.value = emit(step::Normalize{kind, out.value, exact}, expr.at);
  return out;
}

Tensor Elaborator::reduced(Reduction kind, const Tensor &x, Place at) {
  if (x.rank() < 1)
    throw SpecError(Code::WrongRank, at, "a scalar has nothing to sum over");
  ValueId value = emit(step::Reduce{kind, x.value, x.visible[0]}, at);
  Tensor result = without(x, 0);
  result.value = value;
  result.markComputed();
  return result;
}

/// F[h, n, e] → [n, h * e]; of a family of families, F[g, h, n, e] → [n, g * h
/// * e].
Tensor Elaborator::concatenated(const Tensor &x, const Expr &expr) {
  if (x.rank() < 3)
    throw SpecError(
        Code::WrongRank, expr.at,
        fmt::format("`concat` needs a family of matrices, but has {}",
                    shown(x)),
        {}, expr.range);
  std::vector<std::string> visible;
  Axis columns{Dim(1), ""};
  Labels joined;
  for (unsigned k = 0; k < x.rank(); ++k) {
    bool isRow = k + 2 == x.rank();
    visible.push_back(isRow               ? "r"
                      : k + 1 == x.rank() ? "c"
                      : x.rank() == 3     ? "i"
                                          : "member" + std::to_string(k));
    if (isRow)
      continue;
    columns.size = columns.size * x.axis(k).size;
    columns.name += (columns.name.empty() ? "" : " * ") + x.axis(k).name;
    joined.push_back(visible.back());
  }
  Labels from = labelsOf(x, visible), labels;
  Tensor out =
      result({&x}, {x.axis(x.rank() - 2), columns}, {"r", "joined"}, labels);
  std::vector<Labels> before, after;
  std::vector<std::pair<std::string, Dim>> sizes;
  for (unsigned k = 0; k < from.size(); ++k) {
    before.push_back({from[k]});
    sizes.emplace_back(from[k], x.axes[k].size);
  }
  for (const std::string &label : labels)
    after.push_back(label == "joined" ? joined : Labels{label});
  out.value = emit(step::Rearrange{x.value, before, after, sizes}, expr.at);
  return out;
}

} // namespace transfold::spec
