// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The scalar operations of the language: the same for static values, where they
// are exact while they can be, and for index functions, where they are made in
// double for each element.

#ifndef TRANSFOLD_COMPILER_SPEC_SCALAROP_H
#define TRANSFOLD_COMPILER_SPEC_SCALAROP_H

#include "compiler/spec/StaticValue.h"
#include "compiler/spec/Symbols.h"

#include <optional>
#include <span>
#include <string_view>

namespace transfold::spec {

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
/// "bfloat16", "f32", "torch.float16" → the rounding; none for 64 bits. Throws
/// std::domain_error for what is no type.
std::optional<ScalarOp> roundingTo(std::string_view dtype);
bool isComparison(ScalarOp op);

/// In double; booleans are 0 and 1.
double evaluate(ScalarOp op, std::span<const double> operands);

/// On static values: exact where the result has an exact form. Throws
/// std::domain_error with what is wrong ("the logarithm of none").
StaticValue apply(ScalarOp op, const std::vector<StaticValue> &operands,
                  Symbols &symbols);

} // namespace transfold::spec

#endif // TRANSFOLD_COMPILER_SPEC_SCALAROP_H
