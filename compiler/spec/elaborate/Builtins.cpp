// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The primitives: scalar functions, and the operations on tensors that are not
// written with an operator.

#include "compiler/spec/elaborate/Elaborator.h"
#include "compiler/spec/syntax/ExprText.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <stdexcept>

namespace transfold::spec {

static const std::map<std::string, Unary> unaries = {
    {"relu", Unary::Relu}, {"gelu", Unary::Gelu}, {"sigmoid", Unary::Sigmoid},
    {"tanh", Unary::Tanh}, {"exp", Unary::Exp},   {"abs", Unary::Abs},
};

namespace {
/// How many arguments a function takes, and which of them, the last ones, may
/// be given by name.
struct Signature {
  size_t least, most;
  std::vector<std::string> names = {};
};
} // namespace

/// Those of numbers and tensors; what asks a container counts by itself.
static const std::map<std::string, Signature> signatures = {
    {"sqrt", {1, 1}},
    {"log", {1, 1}},
    {"log2", {1, 1}},
    {"exp", {1, 1}},
    {"sin", {1, 1}},
    {"cos", {1, 1}},
    {"floor", {1, 1}},
    {"ceil", {1, 1}},
    {"abs", {1, 1}},
    {"sign", {1, 1}},
    {"min", {2, 2}},
    {"max", {1, 2}},
    {"clamp", {3, 3}},
    {"relu", {1, 1}},
    {"gelu", {1, 1}},
    {"sigmoid", {1, 1}},
    {"tanh", {1, 1}},
    {"softmax", {1, 2, {"sink"}}},
    {"sum", {1, 1}},
    {"mean", {1, 1}},
    {"unit", {1, 1}},
    {"concat", {1, 1}},
    {"diag", {1, 1}},
    {"rotate", {2, 2}},
    {"round", {2, 2}},
    {"f32", {1, 1}},
    {"f16", {1, 1}},
    {"bf16", {1, 1}},
    {"top", {2, 2, {"k"}}},
    {"patches", {2, 2, {"p"}}},
    {"unit_rms", {2, 2, {"ε"}}},
    {"standardize", {2, 2, {"ε"}}},
    {"conv", {4, 4, {"stride", "pad"}}},
};

/// An argument that nothing reads would change no result, and nobody would see
/// that it does not.
void Elaborator::checkArguments(const std::string &name,
                                const CallArguments &arguments,
                                const Expr &expr) {
  auto found = signatures.find(name);
  if (found == signatures.end())
    return;
  const Signature &signature = found->second;
  for (const auto &[key, value] : arguments.named) {
    if (std::ranges::find(signature.names, key) != signature.names.end())
      continue;
    std::string known = signature.names.empty()
                            ? "Its arguments have no names."
                            : fmt::format("By name it takes {}.",
                                          fmt::join(signature.names, " and "));
    throw SpecError(expr.at,
                    fmt::format("`{}` has no argument `{}`", name, key),
                    {known}, expr.range);
  }
  needArguments(signature.least, signature.most, fmt::format("`{}`", name),
                arguments.values.size() + arguments.named.size(), expr);
}

Value Elaborator::callBuiltin(const std::string &name, CallArguments &arguments,
                              const Expr &expr) {
  checkArguments(name, arguments, expr);
  Arguments &values = arguments.values;
  for (size_t k = 0; k < values.size(); ++k)
    values[k] = realOf(values[k], *arguments.exprs[k]);
  if ((name == "min" || name == "max") && values.size() == 2 &&
      values[1].tensor() && !values[0].tensor()) {
    std::swap(values[0], values[1]);
    std::swap(arguments.exprs[0], arguments.exprs[1]);
  }
  if (auto result = containerFunction(name, arguments, expr))
    return *result;
  if (name == "round") {
    if (!values[1].statics())
      throw SpecError(
          expr.at,
          fmt::format("a type is a text, and this is {}", kindOf(values[1])),
          {}, expr.range);
    StaticValue dtype = *values[1].statics();
    needKnown(dtype, *arguments.exprs[1]);
    if (dtype.isUnknown())
      return values[0];
    if (!dtype.text())
      throw SpecError(
          expr.at,
          fmt::format("a type is a text, and this is {}", dtype.kind()), {},
          expr.range);
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
    throw SpecError(expr.at, error.what(), {}, expr.range);
  }
  if (!op)
    return x; // to 64 bits: as it is
  if (auto *tensor = x.tensor()) {
    Tensor result = *tensor;
    result.value =
        sink->roundTo(tensor->value, std::string(name(*op)), expr.at);
    result.isWeight = false;
    return result;
  }
  return scalarOperation(*op, {x}, expr);
}

//===----------------------------------------------------------------------===//
// Tensors
//===----------------------------------------------------------------------===//

Value Elaborator::tensorFunction(const std::string &name,
                                 CallArguments &arguments, const Expr &expr) {
  Arguments &values = arguments.values;
  if (values.empty())
    throw SpecError(expr.at, fmt::format("`{}` needs an argument", name), {},
                    expr.range);
  Value first = values[0];
  const Value *mask = nullptr;
  if (auto *given = first.as<Given>(); given && name == "softmax") {
    mask = given->mask.get();
    first = *given->scores;
  }
  if (auto *absent = first.as<Absent>())
    failAbsent(*absent, expr);
  const Tensor *tensor = first.tensor();
  if (!tensor) {
    if (first.as<IndexClosure>() && (name == "concat" || name == "sum"))
      throw SpecError(
          expr.at,
          fmt::format("how many members has {}? State the range where it is "
                      "defined: [i < …]",
                      spec::text(*expr.operands[1])),
          {}, expr.range);
    throw SpecError(expr.at,
                    fmt::format("`{}` is for rows and matrices, and this is {}",
                                name, kindOf(first)),
                    {}, expr.range);
  }
  const Tensor &x = *tensor;
  auto statics = [&](size_t position, const char *key) -> StaticValue {
    const Value *value = position < values.size() ? &values[position] : nullptr;
    if (auto named = arguments.named.find(key); named != arguments.named.end())
      value = &named->second;
    if (!value || !value->statics())
      throw SpecError(expr.at, fmt::format("`{}` needs `{}`", name, key), {},
                      expr.range);
    bool isNamed = position >= values.size() || value != &values[position];
    needKnown(*value->statics(), isNamed ? expr : *arguments.exprs[position]);
    return *value->statics();
  };
  auto wantRank = [&](const Tensor &t, unsigned rank, const char *what) {
    if (t.rank() != rank)
      throw SpecError(
          expr.at,
          fmt::format("`{}` needs {}, and has {}", name, what, shown(t)), {},
          expr.range);
  };
  if (auto unary = unaries.find(name); unary != unaries.end()) {
    Tensor result = x;
    result.value = sink->unary(unary->second, x.value, expr.at);
    result.isWeight = false;
    result.argument = -1;
    return result;
  }
  if (name == "softmax") {
    needArguments(1, 1, "`softmax`", values.size(), expr);
    return softmax(x, mask, arguments, expr);
  }
  if (name == "unit")
    return rowWise(RowWise::Unit, x, StaticValue(int64_t(0)), expr);
  if (name == "standardize" || name == "unit_rms")
    return rowWise(name == "unit_rms" ? RowWise::UnitRms : RowWise::Standardize,
                   x, statics(1, "ε"), expr);
  if (name == "sqrt") {
    Tensor result = x;
    result.value = sink->power(x.value, *ExactScalar::parse("1/2"), expr.at);
    return result;
  }
  if (name == "min" || name == "clamp" || (name == "max" && values.size() == 2))
    return clamped(name, x, arguments, expr);
  if (name == "sum")
    return reduced(Reduction::Sum, x, expr.at);
  if (name == "mean")
    return reduced(Reduction::Mean, x, expr.at);
  if (name == "max" && values.size() == 1)
    return reduced(Reduction::Max, x, expr.at);
  if (name == "concat")
    return concatenated(x, expr);
  if (name == "diag") {
    wantRank(x, 1, "a row");
    return Diagonal{std::make_shared<Tensor>(x)};
  }
  if (name == "rotate") {
    wantRank(x, 2, "a matrix");
    auto *angles = values[1].as<IndexClosure>();
    if (!angles || angles->arity != 2)
      throw SpecError(expr.at,
                      "`rotate` needs angles by position and column: A[t, c]",
                      {}, expr.range);
    Tensor whole = settled(x, expr.at);
    std::vector<int> positions{newIndex("t"), newIndex("c")}, families;
    Value angle =
        angles->apply({IndexedScalar{IndexExpr::variable(positions[0])},
                       IndexedScalar{IndexExpr::variable(positions[1])}});
    auto body = asIndexed(angle);
    if (!body)
      throw SpecError(expr.at, fmt::format("an angle is {}", kindOf(angle)), {},
                      expr.range);
    IndexFunction function =
        functionOf(angles->name, *body, positions, families, expr.at);
    if (!families.empty())
      throw SpecError(expr.at,
                      "the angles of all members of a family are the same", {},
                      expr.range);
    whole.value = sink->primitive("rotate", {whole.value}, {}, &function,
                                  shapeOf(whole), expr.at);
    whole.isWeight = false;
    return whole;
  }
  if (name == "top") {
    wantRank(x, 2, "a matrix");
    StaticValue k = statics(1, "k");
    auto columns = x.axis(1).size.asNumber();
    if (checkpoint && !columns)
      throw SpecError(expr.at,
                      fmt::format("`top` chooses among a fixed number of "
                                  "columns, and {} is {}",
                                  spec::text(*arguments.exprs[0]), shown(x)),
                      {}, expr.range);
    auto number = k.asInteger();
    if (!k.isUnknown() &&
        (!number || *number < 1 || (columns && *number > *columns)))
      throw SpecError(
          expr.at,
          fmt::format("`top` chooses {} of {} columns", k.str(),
                      symbols.show(x.axis(1).size)),
          {fmt::format("{} is {}.", spec::text(*arguments.exprs[0]), shown(x))},
          expr.range);
    Tensor whole = settled(x, expr.at);
    whole.value = sink->primitive("top", {whole.value},
                                  {k.isUnknown() ? ExactScalar() : k.toExact()},
                                  nullptr, shapeOf(whole), expr.at);
    return whole;
  }
  if (name == "conv") {
    const Tensor *kernel = values.size() > 1 ? values[1].tensor() : nullptr;
    wantRank(x, 2, "a matrix [n, c]");
    if (!kernel)
      throw SpecError(expr.at, "`conv` needs a kernel [k, c, d]", {},
                      expr.range);
    wantRank(*kernel, 3, "a kernel [k, c, d]");
    if (!symbols.same(x.axis(1).size, kernel->axis(1).size))
      throw SpecError(expr.at,
                      "the kernel has other channels than what it reads",
                      shapeLines({{spec::text(*arguments.exprs[0]), &x},
                                  {spec::text(*arguments.exprs[1]), kernel}}),
                      expr.range);
    StaticValue stride = statics(2, "stride"), pad = statics(3, "pad");
    auto apply = [&](ScalarOp op, StaticValue a, StaticValue b) {
      return applyStatic(op, {a, b}, expr);
    };
    StaticValue rows =
        apply(ScalarOp::Add, StaticValue::ofSize(x.axis(0).size),
              apply(ScalarOp::Multiply, StaticValue(int64_t(2)), pad));
    rows = apply(ScalarOp::Subtract, rows,
                 StaticValue::ofSize(kernel->axis(0).size));
    rows = apply(ScalarOp::Add, apply(ScalarOp::IntegerDivide, rows, stride),
                 StaticValue(int64_t(1)));
    Dim length =
        rows.asSize().value_or(Dim::atom("rows of " + spec::text(expr)));
    Tensor input = settled(x, expr.at), weights = settled(*kernel, expr.at);
    Labels labels;
    Tensor out =
        result({&input}, {Axis{length, symbols.show(length)}, kernel->axis(2)},
               {"r", "c"}, labels);
    auto exact = [](const StaticValue &v) {
      return v.isUnknown() ? ExactScalar() : v.toExact();
    };
    out.value = sink->primitive("conv", {input.value, weights.value},
                                {exact(stride), exact(pad)}, nullptr,
                                shapeOf(out), expr.at);
    return out;
  }
  if (name == "patches") {
    wantRank(x, 3, "an image [c, H, W]");
    if (x.axes.size() != x.rank())
      throw SpecError(expr.at,
                      "an image is cut outside of families only, and this is "
                      "one for each member",
                      {}, expr.range);
    StaticValue p = statics(1, "p");
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
    out.value = sink->primitive("patches", {input.value},
                                {p.isUnknown() ? ExactScalar() : p.toExact()},
                                nullptr, shapeOf(out), expr.at);
    return out;
  }
  throw SpecError(
      expr.at, fmt::format("`{}` has no meaning for {}", name, kindOf(first)),
      {}, expr.range);
}

/// Between numbers; max(x, 0) is relu.
Tensor Elaborator::clamped(const std::string &name, const Tensor &x,
                           const CallArguments &arguments, const Expr &expr) {
  std::vector<ExactScalar> bounds;
  for (size_t k = 1; k < arguments.values.size(); ++k) {
    const StaticValue *bound = arguments.values[k].statics();
    if (!bound || !(bound->isUnknown() || bound->isNumber()))
      throw SpecError(
          expr.at,
          fmt::format("the bounds of `{}` are numbers, and {} is {}", name,
                      spec::text(*arguments.exprs[k]),
                      bound ? bound->kind() : kindOf(arguments.values[k])),
          {"Of two matrices, max(a, b) is a + relu(b - a)."}, expr.range);
    needKnown(*bound, *arguments.exprs[k]);
    bounds.push_back(bound->isUnknown() ? ExactScalar() : bound->toExact());
  }
  if (bounds.size() == 2 && bounds[1] < bounds[0])
    throw SpecError(expr.at,
                    fmt::format("the bounds are {} and {}: the lower one comes "
                                "first",
                                bounds[0].str(), bounds[1].str()),
                    {}, expr.range);
  Tensor result = x;
  const ExactScalar *least = name == "min" ? nullptr : &bounds.front();
  const ExactScalar *most = name == "max" ? nullptr : &bounds.back();
  result.value = least && !most && least->isZero()
                     ? sink->unary(Unary::Relu, x.value, expr.at)
                     : sink->clamp(x.value, least, most, expr.at);
  result.isWeight = false;
  result.argument = -1;
  return result;
}

Tensor Elaborator::rowWise(RowWise kind, const Tensor &x,
                           const StaticValue &epsilon, const Expr &expr) {
  if (x.rank() < 1)
    throw SpecError(expr.at, "a scalar has no rows", {}, expr.range);
  Tensor out = settled(x, expr.at);
  out.isWeight = false;
  out.argument = -1;
  ExactScalar exact(int64_t(0));
  if (!epsilon.isUnknown()) {
    if (!epsilon.isNumber())
      throw SpecError(
          expr.at, fmt::format("ε must be a number, and is {}", epsilon.kind()),
          whyNone("ε", epsilon), expr.range);
    exact = epsilon.toExact();
  }
  out.value = sink->rowWise(kind, out.value, exact, expr.at);
  return out;
}

Tensor Elaborator::reduced(Reduction kind, const Tensor &x, Place at) {
  if (x.rank() < 1)
    throw SpecError(at, "a scalar has nothing to sum over");
  Handle value = sink->reduce(kind, x.value, x.visible[0], at);
  Tensor result = without(x, 0);
  result.value = value;
  result.isWeight = false;
  return result;
}

/// F[h, n, e] → [n, h * e]; of a family of families, F[g, h, n, e] → [n, g * h
/// * e].
Tensor Elaborator::concatenated(const Tensor &x, const Expr &expr) {
  if (x.rank() < 3)
    throw SpecError(
        expr.at,
        fmt::format("`concat` needs a family of matrices, and has {}",
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
  out.value = sink->rearrange(x.value, before, after, sizes, expr.at);
  return out;
}

} // namespace transfold::spec
