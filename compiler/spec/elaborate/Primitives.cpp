// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Primitives on tensors: one function for each, and the table of their names.

#include "compiler/spec/elaborate/Elaborator.h"
#include "compiler/spec/syntax/Diagnostic.h"
#include "compiler/spec/syntax/ExprText.h"

#include <fmt/format.h>

namespace transfold::spec {

ExactScalar Elaborator::exactOf(const StaticValue &value) {
  return value.isUnknown() ? ExactScalar() : value.toExact();
}

//===----------------------------------------------------------------------===//
// Arguments
//===----------------------------------------------------------------------===//

/// The static argument at `position`, or with the name `key`.
StaticValue Elaborator::numberArgument(const PrimitiveCall &call,
                                       size_t position, const char *key) {
  const Arguments &values = call.arguments.values;
  const Value *value = position < values.size() ? &values[position] : nullptr;
  bool isNamed = false;
  if (auto named = call.arguments.named.find(key);
      named != call.arguments.named.end()) {
    value = &named->second;
    isNamed = true;
  }
  if (!value || !value->statics())
    throw SpecError(Code::ArgumentCount, call.expr.at,
                    fmt::format("`{}` needs `{}`", call.name, key), {},
                    call.expr.range);
  needKnown(*value->statics(),
            isNamed ? call.expr : *call.arguments.exprs[position]);
  return *value->statics();
}

void Elaborator::wantRank(const PrimitiveCall &call, const Tensor &tensor,
                          unsigned rank, const char *what) const {
  if (tensor.rank() != rank)
    throw SpecError(Code::WrongRank, call.expr.at,
                    fmt::format("`{}` needs {}, but has {}", call.name, what,
                                shown(tensor)),
                    {}, call.expr.range);
}

/// Throws SpecError because the first argument of a primitive is not a tensor.
void Elaborator::failNoTensor(const std::string &name, const Value &first,
                              const Expr &expr) {
  if (auto *absent = first.as<Absent>())
    failAbsent(*absent, expr);
  if (first.as<IndexClosure>() && (name == "concat" || name == "sum"))
    throw SpecError(Code::UnknownRange, expr.at,
                    fmt::format("how many members has {}? State the range "
                                "where it is defined: [i < …]",
                                spec::text(*expr.operands[1])),
                    {}, expr.range);
  throw SpecError(Code::ArgumentKind, expr.at,
                  fmt::format("`{}` is for rows and matrices, but this is {}",
                              name, kindOf(first)),
                  {}, expr.range);
}

//===----------------------------------------------------------------------===//
// One function per primitive
//===----------------------------------------------------------------------===//

Value Elaborator::unaryOf(const PrimitiveCall &call) {
  Tensor result = call.x;
  result.value =
      emit(step::Apply{*functions().at(call.name).unary, call.x.value},
           call.expr.at);
  result.markComputed();
  return result;
}

Value Elaborator::softmaxOf(const PrimitiveCall &call) {
  needArguments(1, 1, "`softmax`", call.arguments.values.size(), call.expr);
  return softmax(call.x, call.mask, call.arguments, call.expr);
}

Value Elaborator::unitOf(const PrimitiveCall &call) {
  return rowWise(RowWise::Unit, call.x, StaticValue(int64_t(0)), call.expr);
}

Value Elaborator::normOf(const PrimitiveCall &call) {
  RowWise kind =
      call.name == "unit_rms" ? RowWise::UnitRms : RowWise::Standardize;
  return rowWise(kind, call.x, numberArgument(call, 1, "ε"), call.expr);
}

Value Elaborator::rootOf(const PrimitiveCall &call) {
  Tensor result = call.x;
  result.value =
      emit(step::Power{call.x.value, *ExactScalar::parse("1/2")}, call.expr.at);
  return result;
}

/// ln x = log2(x) / log2(e); constant folding knows that factor exactly.
Value Elaborator::logOf(const PrimitiveCall &call) {
  Tensor result = call.x;
  ValueId log2 = emit(step::Apply{Unary::Log2, call.x.value}, call.expr.at);
  result.value = emit(
      step::Scale{log2, ExactScalar() / ExactScalar::log2OfE(), "1 / log2(e)"},
      call.expr.at);
  result.markComputed();
  return result;
}

/// The second argument if it is not constant: a tensor, a number for each
/// member of a family, or a number made of lengths.
std::optional<Tensor> Elaborator::computedBound(const PrimitiveCall &call) {
  if (call.arguments.values.size() != 2)
    return std::nullopt;
  const Value &bound = call.arguments.values[1];
  if (auto *tensor = bound.tensor())
    return *tensor;
  if (auto *scalar = bound.as<IndexedScalar>())
    return tabulated(*scalar, call.expr.at);
  auto *statics = bound.statics();
  return statics && statics->isUnknown()
             ? numberOfLengths(*statics, *call.arguments.exprs[1])
             : std::nullopt;
}

/// Elementwise with a computed bound: max(x, y), and min(x, y) as -max(-x, -y).
Value Elaborator::clampOf(const PrimitiveCall &call) {
  if (call.arguments.values.size() == 2)
    if (auto *scalar = call.arguments.values[1].as<IndexedScalar>();
        scalar && staysUnderCondition(call.x, *scalar))
      return scalarOperation(call.name == "max" ? ScalarOp::Max : ScalarOp::Min,
                             {Value(call.x), Value(*scalar)}, call.expr);
  std::optional<Tensor> other = computedBound(call);
  if (!other)
    return clamped(call.name, call.x, call.arguments, call.expr);
  Place at = call.expr.at;
  if (call.name == "max")
    return elementwise(Binary::Maximum, call.x, *other, call.expr);
  return negated(elementwise(Binary::Maximum, negated(call.x, at),
                             negated(*other, at), call.expr),
                 at);
}

Value Elaborator::sumOf(const PrimitiveCall &call) {
  return reduced(Reduction::Sum, call.x, call.expr.at);
}

Value Elaborator::meanOf(const PrimitiveCall &call) {
  return reduced(Reduction::Mean, call.x, call.expr.at);
}

/// With one argument the maximum over the first axis, with two a bound.
Value Elaborator::maxOf(const PrimitiveCall &call) {
  return call.arguments.values.size() == 1
             ? Value(reduced(Reduction::Max, call.x, call.expr.at))
             : clampOf(call);
}

Value Elaborator::concatOf(const PrimitiveCall &call) {
  return concatenated(call.x, call.expr);
}

Value Elaborator::diagonalOf(const PrimitiveCall &call) {
  wantRank(call, call.x, 1, "a row");
  return Diagonal{std::make_shared<Tensor>(call.x)};
}

/// The angles must be a function of position and column alone, since the step
/// applies them to all members alike.
Value Elaborator::rotateOf(const PrimitiveCall &call) {
  const Expr &expr = call.expr;
  wantRank(call, call.x, 2, "a matrix");
  auto *angles = call.arguments.values[1].as<IndexClosure>();
  if (!angles || angles->arity != 2)
    throw SpecError(Code::Rotation, expr.at,
                    "`rotate` needs angles by position and column: A[t, c]", {},
                    expr.range);
  Tensor whole = settled(call.x, expr.at);
  std::vector<int> positions{newIndex("t"), newIndex("c")}, families;
  Value angle =
      angles->apply({IndexedScalar{IndexExpr::variable(positions[0])},
                     IndexedScalar{IndexExpr::variable(positions[1])}});
  auto body = asIndexed(angle);
  if (!body)
    throw SpecError(
        Code::Rotation, expr.at,
        fmt::format("an angle must be a number, but this is {}", kindOf(angle)),
        {}, expr.range);
  IndexFunction function =
      functionOf(angles->name, *body, positions, families, expr.at);
  if (!families.empty())
    throw SpecError(Code::Rotation, expr.at,
                    "the angles of all members of a family must be the same",
                    {}, expr.range);
  whole.value = emit(step::Rotate{whole.value, function}, expr.at);
  whole.markComputed();
  return whole;
}

/// The number of columns must be constant, such as that of the experts of a
/// layer.
Value Elaborator::topOf(const PrimitiveCall &call) {
  const Tensor &x = call.x;
  const Expr &expr = call.expr;
  const Expr &written = *call.arguments.exprs[0];
  wantRank(call, x, 2, "a matrix");
  StaticValue k = numberArgument(call, 1, "k");
  auto columns = x.axis(1).size.asNumber();
  if (checkpoint && !columns)
    throw SpecError(
        Code::TopCount, expr.at,
        fmt::format(
            "`top` chooses among a fixed number of columns, but {} is {}",
            spec::text(written), shown(x)),
        {}, expr.range);
  auto number = k.asInteger();
  if (!k.isUnknown() &&
      (!number || *number < 1 || (columns && *number > *columns)))
    throw SpecError(Code::TopCount, expr.at,
                    fmt::format("`top` chooses {} of {} columns", k.str(),
                                symbols.show(x.axis(1).size)),
                    {fmt::format("{} is {}.", spec::text(written), shown(x))},
                    expr.range);
  Tensor whole = settled(x, expr.at);
  whole.value = emit(step::Top{whole.value, number.value_or(1)}, expr.at);
  return whole;
}

//===----------------------------------------------------------------------===//
// The table of primitives
//===----------------------------------------------------------------------===//

Value Elaborator::tensorFunction(const std::string &name,
                                 CallArguments &arguments, const Expr &expr) {
  using Primitive = Value (Elaborator::*)(const PrimitiveCall &);
  static const std::map<std::string, Primitive> primitives = {
      {"softmax", &Elaborator::softmaxOf},
      {"unit", &Elaborator::unitOf},
      {"standardize", &Elaborator::normOf},
      {"unit_rms", &Elaborator::normOf},
      {"sqrt", &Elaborator::rootOf},
      {"min", &Elaborator::clampOf},
      {"clamp", &Elaborator::clampOf},
      {"max", &Elaborator::maxOf},
      {"sum", &Elaborator::sumOf},
      {"mean", &Elaborator::meanOf},
      {"log", &Elaborator::logOf},
      {"concat", &Elaborator::concatOf},
      {"diag", &Elaborator::diagonalOf},
      {"rotate", &Elaborator::rotateOf},
      {"top", &Elaborator::topOf},
      {"conv", &Elaborator::convolutionOf},
      {"patches", &Elaborator::patchesOf},
  };
  if (arguments.values.empty())
    throw SpecError(Code::ArgumentCount, expr.at,
                    fmt::format("`{}` needs an argument", name), {},
                    expr.range);
  Value first = arguments.values[0];
  const Value *mask = nullptr;
  if (auto *given = first.as<Given>(); given && name == "softmax") {
    mask = given->mask.get();
    first = *given->scores;
  }
  const Tensor *x = first.tensor();
  if (!x)
    failNoTensor(name, first, expr);
  PrimitiveCall call{name, *x, mask, arguments, expr};
  if (auto known = functions().find(name);
      known != functions().end() && known->second.unary)
    return unaryOf(call);
  if (auto primitive = primitives.find(name); primitive != primitives.end())
    return (this->*primitive->second)(call);
  throw SpecError(
      Code::ArgumentKind, expr.at,
      fmt::format("`{}` has no meaning for {}", name, kindOf(first)), {},
      expr.range);
}

} // namespace transfold::spec
