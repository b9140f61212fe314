// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The scalar operations of definitions by index: their names, and their
// evaluation in double.

#pragma once

#include <optional>
#include <span>
#include <string_view>

namespace transfold {

/// A scalar operation.
enum class ScalarOp {
  Add,
  Subtract,
  Multiply,
  Divide,
  IntegerDivide, // floor
  Modulo,        // has the sign of the divisor
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

/// The name of an operation in the spec language: "+", "sqrt", "f32".
std::string_view name(ScalarOp op);
/// The operation of a call `function(...)` with `arguments` arguments; nullopt
/// if there is none.
std::optional<ScalarOp> scalarFunction(std::string_view function,
                                       size_t arguments);
/// Whether `op` is ==, !=, <, <=, > or >=.
bool isComparison(ScalarOp op);

/// Evaluates `op` in double; booleans are 0 and 1.
double evaluate(ScalarOp op, std::span<const double> operands);

} // namespace transfold
