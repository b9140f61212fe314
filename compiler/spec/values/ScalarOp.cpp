// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Scalar operations on static values. Numbers are computed exactly, with
// ExactScalar, or else in double. Unknown values are computed as sizes, or else
// become an expression of lengths that the program evaluates.

#include "compiler/spec/values/ScalarOp.h"

#include <fmt/format.h>

#include <cmath>
#include <stdexcept>

namespace transfold::spec {

using Integer = ExactScalar::Integer;

std::optional<ScalarOp> roundingTo(std::string_view dtype) {
  if (dtype.starts_with("torch."))
    dtype.remove_prefix(6);
  if (dtype == "float32" || dtype == "f32")
    return ScalarOp::RoundF32;
  if (dtype == "float16" || dtype == "f16")
    return ScalarOp::RoundF16;
  if (dtype == "bfloat16" || dtype == "bf16")
    return ScalarOp::RoundBF16;
  if (dtype == "float64" || dtype == "f64")
    return std::nullopt;
  throw std::domain_error(fmt::format("'{}' is not a type to round to", dtype));
}

//===----------------------------------------------------------------------===//
// Static values
//===----------------------------------------------------------------------===//

IndexExprPtr scalarOf(const StaticValue &value, const Symbols &symbols) {
  if (auto *truth = value.boolean())
    return IndexExpr::truth(*truth);
  if (auto *number = value.exact())
    return IndexExpr::constant(*number);
  if (auto *number = value.inexact())
    return IndexExpr::constant(*number);
  const Unknown *unknown = value.unknownValue();
  if (!unknown)
    return nullptr;
  if (unknown->number)
    return unknown->number;
  return unknown->size ? symbols.numberOf(*unknown->size) : nullptr;
}

namespace {

/// What an operation requires of an operand; Same: the same kind as the last
/// one.
enum class Wanted { Number, Truth, Same };

/// The requirement for operand number `operand` of `op`.
Wanted wantedOf(ScalarOp op, size_t operand) {
  switch (op) {
  case ScalarOp::And:
  case ScalarOp::Or:
  case ScalarOp::Not:
    return Wanted::Truth;
  case ScalarOp::Select:
    return operand == 0 ? Wanted::Truth : Wanted::Same;
  case ScalarOp::Equal:
  case ScalarOp::NotEqual:
    return Wanted::Same;
  default:
    return Wanted::Number;
  }
}

} // namespace

void checkKinds(ScalarOp op, std::span<const IndexExprPtr> operands,
                bool some) {
  for (size_t k = 0; k < operands.size(); ++k) {
    const Wanted wanted = wantedOf(op, k);
    const bool isTruth = operands[k]->boolean;
    if (wanted == Wanted::Number && isTruth)
      throw std::domain_error(
          fmt::format("`{}` needs a number, but has true or false", name(op)));
    if (some)
      continue;
    if (wanted == Wanted::Truth && !isTruth)
      throw std::domain_error(
          fmt::format("`{}` needs true or false, but has a number", name(op)));
    if (wanted == Wanted::Same && isTruth != operands.back()->boolean)
      throw std::domain_error(fmt::format(
          "`{}` has a number on one side, and true or false on the other",
          name(op)));
  }
}

/// The result of an operation on sizes whose values are not known.
static StaticValue applyToSizes(ScalarOp op,
                                const std::vector<StaticValue> &operands,
                                Symbols &symbols) {
  std::vector<Dim> sizes;
  for (const StaticValue &operand : operands) {
    auto size = operand.asSize();
    if (!size)
      return StaticValue::unknown();
    sizes.push_back(*size);
  }
  switch (op) {
  case ScalarOp::Add:
    return StaticValue::ofSize(sizes[0] + sizes[1]);
  case ScalarOp::Subtract:
    return StaticValue::ofSize(sizes[0] - sizes[1]);
  case ScalarOp::Multiply:
    return StaticValue::ofSize(sizes[0] * sizes[1]);
  case ScalarOp::Divide:
    return StaticValue::ofSize(symbols.quotient(sizes[0], sizes[1]));
  case ScalarOp::IntegerDivide:
    if (auto divisor = sizes[1].asNumber(); divisor && *divisor > 0)
      return StaticValue::ofSize(symbols.floorQuotient(sizes[0], *divisor));
    return StaticValue::unknown();
  case ScalarOp::Power:
    if (auto exponent = sizes[1].asNumber();
        exponent && *exponent >= 0 && *exponent < 9) {
      Dim result(1);
      for (int64_t k = 0; k < *exponent; ++k)
        result = result * sizes[0];
      return StaticValue::ofSize(result);
    }
    return StaticValue::unknown();
  case ScalarOp::Equal:
  case ScalarOp::LessEqual:
  case ScalarOp::GreaterEqual:
    return symbols.same(sizes[0], sizes[1]) ? StaticValue(true)
                                            : StaticValue::unknown();
  case ScalarOp::NotEqual:
  case ScalarOp::Less:
  case ScalarOp::Greater:
    return symbols.same(sizes[0], sizes[1]) ? StaticValue(false)
                                            : StaticValue::unknown();
  default:
    return StaticValue::unknown();
  }
}

/// The result of an operation on values that are known only when the program
/// runs.
static StaticValue applyToUnknown(ScalarOp op,
                                  const std::vector<StaticValue> &operands,
                                  Symbols &symbols) {
  StaticValue result = applyToSizes(op, operands, symbols);
  if (!result.isUnknown() || scalarOf(result, symbols))
    return result;
  std::vector<IndexExprPtr> scalars;
  for (const StaticValue &operand : operands) {
    scalars.push_back(scalarOf(operand, symbols));
    if (!scalars.back())
      return result;
  }
  checkKinds(op, scalars);
  return Unknown{result.unknownValue()->size,
                 IndexExpr::operation(op, std::move(scalars))};
}

/// The largest integer that is not above `x`; nullopt if `x` is not rational.
static std::optional<Integer> floorOf(const ExactScalar &x) {
  auto fraction = x.asRational();
  if (!fraction)
    return std::nullopt;
  return floorDiv(fraction->first, fraction->second);
}

/// x^y if `y` is a rational number of small terms; nullopt otherwise, since
/// exact powers with large exponents would have too many digits.
static std::optional<ExactScalar> exactPower(const ExactScalar &x,
                                             const ExactScalar &exponent) {
  auto fraction = exponent.asRational();
  if (!fraction)
    return std::nullopt;
  // Beyond this limit the exact form has too many digits to be useful.
  const int64_t limit = 1 << 16;
  if (abs(fraction->first) > limit || fraction->second > limit)
    return std::nullopt;
  return x.power({static_cast<int64_t>(fraction->first),
                  static_cast<int64_t>(fraction->second)});
}

/// The exact result; nullopt if it has no exact form.
static std::optional<ExactScalar>
applyExactly(ScalarOp op, const std::vector<ExactScalar> &x) {
  switch (op) {
  case ScalarOp::Add:
    return x[0].plus(x[1]);
  case ScalarOp::Subtract:
    return x[0].plus(-x[1]);
  case ScalarOp::Multiply:
    return x[0] * x[1];
  case ScalarOp::Divide:
    return x[0] / x[1]; // throws for zero
  case ScalarOp::IntegerDivide:
    if (auto quotient = floorOf(x[0] / x[1]))
      return ExactScalar::rational(*quotient, Integer(1));
    return std::nullopt;
  case ScalarOp::Modulo:
    if (auto quotient = floorOf(x[0] / x[1]))
      return x[0].plus(-(ExactScalar::rational(*quotient, Integer(1)) * x[1]));
    return std::nullopt;
  case ScalarOp::Power:
    return exactPower(x[0], x[1]);
  case ScalarOp::Negate:
    return -x[0];
  case ScalarOp::Sqrt:
    return x[0].power({1, 2});
  case ScalarOp::Log2:
    if (x[0].factors.size() == 1 && x[0].sign > 0 && x[0].factors[0].base == 2)
      return ExactScalar::rational(
          Integer(x[0].factors[0].exponent.numerator),
          Integer(x[0].factors[0].exponent.denominator));
    return x[0].isOne() ? std::optional(ExactScalar(int64_t(0))) : std::nullopt;
  case ScalarOp::Floor:
    if (auto floor = floorOf(x[0]))
      return ExactScalar::rational(*floor, Integer(1));
    return std::nullopt;
  case ScalarOp::Ceil:
    if (auto floor = floorOf(-x[0]))
      return ExactScalar::rational(-*floor, Integer(1));
    return std::nullopt;
  case ScalarOp::Abs:
    return x[0].isNegative() ? -x[0] : x[0];
  case ScalarOp::Sign:
    return ExactScalar(int64_t(x[0].sign));
  case ScalarOp::Min:
    return x[1] < x[0] ? x[1] : x[0];
  case ScalarOp::Max:
    return x[0] < x[1] ? x[1] : x[0];
  case ScalarOp::Clamp: {
    const ExactScalar &low = x[0] < x[1] ? x[1] : x[0];
    return x[2] < low ? x[2] : low;
  }
  default:
    return std::nullopt;
  }
}

StaticValue apply(ScalarOp op, const std::vector<StaticValue> &operands,
                  Symbols &symbols) {
  if (op == ScalarOp::Equal || op == ScalarOp::NotEqual) {
    const bool isTruth = operands[0].boolean();
    if (isTruth ? operands[1].isNumber()
                : operands[0].isNumber() && operands[1].boolean())
      throw std::domain_error(
          fmt::format("`{}` has {} on one side, and {} on the other", name(op),
                      operands[0].kind(), operands[1].kind()));
    if (auto same = equal(operands[0], operands[1]))
      return StaticValue(*same == (op == ScalarOp::Equal));
    return applyToUnknown(op, operands, symbols);
  }
  bool exact = true;
  for (const StaticValue &operand : operands) {
    if (operand.isUnknown())
      return applyToUnknown(op, operands, symbols);
    if (!operand.isNumber())
      throw std::domain_error(fmt::format("`{}` needs a number, but has {}",
                                          name(op), operand.kind()));
    exact &= operand.exact() != nullptr;
  }
  if (exact) {
    std::vector<ExactScalar> numbers;
    for (const StaticValue &operand : operands)
      numbers.push_back(*operand.exact());
    switch (op) {
    case ScalarOp::Less:
      return StaticValue(numbers[0] < numbers[1]);
    case ScalarOp::LessEqual:
      return StaticValue(!(numbers[1] < numbers[0]));
    case ScalarOp::Greater:
      return StaticValue(numbers[1] < numbers[0]);
    case ScalarOp::GreaterEqual:
      return StaticValue(!(numbers[0] < numbers[1]));
    default:
      if (auto result = applyExactly(op, numbers))
        return StaticValue(*result);
    }
  }
  std::vector<double> numbers;
  for (const StaticValue &operand : operands)
    numbers.push_back(operand.toDouble());
  double result = evaluate(op, numbers);
  if (isComparison(op))
    return StaticValue(result != 0);
  if (std::isnan(result))
    throw std::domain_error(fmt::format("`{}` has no value here", name(op)));
  // A rounded result is exactly the number that it was rounded to.
  bool rounding = op >= ScalarOp::RoundF32 || op == ScalarOp::Floor ||
                  op == ScalarOp::Ceil || op == ScalarOp::Sign ||
                  op == ScalarOp::IntegerDivide;
  if (rounding && std::isfinite(result))
    return StaticValue(exactOf(result));
  return StaticValue(result);
}

} // namespace transfold::spec
