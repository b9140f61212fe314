// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The scalar operations that definitions by index are made of: what they are
// called, and what they are in double.

#ifndef TRANSFOLD_DIALECT_EXACT_SCALAROP_H
#define TRANSFOLD_DIALECT_EXACT_SCALAROP_H

#include <optional>
#include <span>
#include <string_view>

namespace transfold {

enum class ScalarOp {
  Add,
  Subtract,
  Multiply,
  Divide,
  IntegerDivide, // floor
  Modulo,        // of the sign of the divisor
  Power,
  Negate,
  Equal,
  NotEqual,
  Less,
  LessEqual,
  Greater,
  GreaterEqual,
  And,
  Or,
  Not,
  Select, // condition, then, else
  Sqrt,
  Log,
  Log2,
  Exp,
  Sin,
  Cos,
  Floor,
  Ceil,
  Abs,
  Sign,
  Min,
  Max,
  Clamp, // x, low, high
  RoundF32,
  RoundF16,
  RoundBF16,
};

/// "+", "sqrt", "f32": as the language writes it.
std::string_view name(ScalarOp op);
/// The operation that a call of `function` with `arguments` arguments means.
std::optional<ScalarOp> scalarFunction(std::string_view function,
                                       size_t arguments);
bool isComparison(ScalarOp op);

/// In double; booleans are 0 and 1.
double evaluate(ScalarOp op, std::span<const double> operands);

} // namespace transfold

#endif // TRANSFOLD_DIALECT_EXACT_SCALAROP_H
