// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Names and values of the scalar operations. The names are in the order of the
// enumeration.

#include "base/exact/ScalarOp.h"

#include "base/numeric/Rounding.h"

#include <algorithm>
#include <cmath>

namespace transfold {

static constexpr std::string_view names[] = {
    "+",    "-",   "*",    "/",     "div", "mod", "^",     "-",    "==",
    "!=",   "<",   "<=",   ">",     ">=",  "and", "or",    "not",  "if",
    "√",    "log", "log2", "exp",   "sin", "cos", "floor", "ceil", "abs",
    "sign", "min", "max",  "clamp", "f32", "f16", "bf16"};

std::string_view name(ScalarOp op) { return names[size_t(op)]; }

/// Functions have the enumerators from Log to RoundBF16, with one argument but
/// for min, max and clamp. Sqrt precedes them: its printed name is √, and
/// "sqrt" is what a call has.
std::optional<ScalarOp> scalarFunction(std::string_view function,
                                       size_t arguments) {
  if (function == "sqrt" && arguments == 1)
    return ScalarOp::Sqrt;
  for (auto op = ScalarOp::Log; op <= ScalarOp::RoundBF16;
       op = ScalarOp(int(op) + 1)) {
    size_t takes = op == ScalarOp::Clamp                        ? 3
                   : op == ScalarOp::Min || op == ScalarOp::Max ? 2
                                                                : 1;
    if (function == name(op) && arguments == takes)
      return op;
  }
  return std::nullopt;
}

/// The comparisons are consecutive enumerators.
bool isComparison(ScalarOp op) {
  return op >= ScalarOp::Equal && op <= ScalarOp::GreaterEqual;
}

/// `x` must have as many elements as the operation has operands.
double evaluate(ScalarOp op, std::span<const double> x) {
  switch (op) {
  case ScalarOp::Add:
    return x[0] + x[1];
  case ScalarOp::Subtract:
    return x[0] - x[1];
  case ScalarOp::Multiply:
    return x[0] * x[1];
  case ScalarOp::Divide:
    return x[0] / x[1];
  case ScalarOp::IntegerDivide:
    return std::floor(x[0] / x[1]);
  // x - floor(x / y) y has the sign of y, unlike std::fmod.
  case ScalarOp::Modulo:
    return x[0] - std::floor(x[0] / x[1]) * x[1];
  case ScalarOp::Power:
    return std::pow(x[0], x[1]);
  case ScalarOp::Negate:
    return -x[0];
  case ScalarOp::Equal:
    return x[0] == x[1];
  case ScalarOp::NotEqual:
    return x[0] != x[1];
  case ScalarOp::Less:
    return x[0] < x[1];
  case ScalarOp::LessEqual:
    return x[0] <= x[1];
  case ScalarOp::Greater:
    return x[0] > x[1];
  case ScalarOp::GreaterEqual:
    return x[0] >= x[1];
  case ScalarOp::And:
    return x[0] != 0 && x[1] != 0;
  case ScalarOp::Or:
    return x[0] != 0 || x[1] != 0;
  case ScalarOp::Not:
    return x[0] == 0;
  case ScalarOp::Select:
    return x[0] != 0 ? x[1] : x[2];
  case ScalarOp::Sqrt:
    return std::sqrt(x[0]);
  case ScalarOp::Log:
    return std::log(x[0]);
  case ScalarOp::Log2:
    return std::log2(x[0]);
  case ScalarOp::Exp:
    return std::exp(x[0]);
  case ScalarOp::Sin:
    return std::sin(x[0]);
  case ScalarOp::Cos:
    return std::cos(x[0]);
  case ScalarOp::Floor:
    return std::floor(x[0]);
  case ScalarOp::Ceil:
    return std::ceil(x[0]);
  case ScalarOp::Abs:
    return std::fabs(x[0]);
  case ScalarOp::Sign:
    return double((x[0] > 0) - (x[0] < 0));
  case ScalarOp::Min:
    return std::min(x[0], x[1]);
  case ScalarOp::Max:
    return std::max(x[0], x[1]);
  case ScalarOp::Clamp:
    return std::min(std::max(x[0], x[1]), x[2]);
  case ScalarOp::RoundF32:
    return roundedToFloat32(x[0]);
  case ScalarOp::RoundF16:
    return roundedToFloat16(x[0]);
  case ScalarOp::RoundBF16:
    return roundedToBfloat16(x[0]);
  }
  return 0;
}

} // namespace transfold
