// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A scalar defined by index: a tree of scalar operations over indices,
// constants, and array elements. Masks, biases, position tables and the angles
// of rotations are such trees, from the spec down to the kernel. Evaluation is
// in double.

#pragma once

#include "base/exact/ExactScalar.h"
#include "base/exact/ScalarOp.h"

#include <array>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace transfold {

struct IndexExpr;
using IndexExprPtr = std::shared_ptr<const IndexExpr>;

/// A node of such a tree.
struct IndexExpr {
  /// What a node is; each field below says for which kinds it holds.
  enum class Kind { Constant, Index, Operation, Read, Length };
  Kind kind = Kind::Constant;
  /// Constant: a number, or true or false as 1 or 0. Also set for comparisons
  /// and logical operations.
  bool boolean = false;
  double value = 0;
  std::optional<ExactScalar> exact; // the exact scalar of `value`, if known
  int index = 0; // Index: its position among the definition's indices
  ScalarOp op = ScalarOp::Add;
  int array = -1; // Read: which array; operands are its indices
  /// Length: the name of a length of the spec, used as a number. Definitions in
  /// the dialect do not have this kind: there a length is an array without axes
  /// (xf.length).
  std::string name;
  std::vector<IndexExprPtr> operands;

  /// A constant, exact or in double.
  static IndexExprPtr constant(const ExactScalar &value);
  /// A constant that is known only as a double, such as a computed one.
  static IndexExprPtr constant(double value);
  /// True or false.
  static IndexExprPtr truth(bool value);
  /// The index number `index`.
  static IndexExprPtr variable(int index);
  /// An operation; simplifies logical operations and selects whose condition is
  /// constant.
  static IndexExprPtr operation(ScalarOp op,
                                std::vector<IndexExprPtr> operands);
  /// An element of array `array`.
  static IndexExprPtr read(int array, std::vector<IndexExprPtr> indices);
  /// A length of the spec.
  static IndexExprPtr length(std::string name);

  /// Whether the node is a number, true or false.
  bool isConstant() const { return kind == Kind::Constant; }
  /// Whether the node is this operation.
  bool isOperation(ScalarOp which) const {
    return kind == Kind::Operation && op == which;
  }
  /// The expression in the syntax of the spec language: "sin(t / 10000^(2 * c /
  /// 512))".
  std::string str(const std::vector<std::string> &names) const;
};

/// Returns element `indices` of array `array` as a double.
using ArrayReader =
    std::function<double(int array, std::span<const int64_t> indices)>;

/// The value at absolute indices; true and false are 1 and 0. `reader` may be
/// null if the expression reads no array.
double evaluate(const IndexExpr &expr, std::span<const int64_t> indices,
                const ArrayReader &reader = nullptr);

/// The value of an operation. `test` and `value` return those of an operand:
/// `test` of the condition of an `if`, `value` of all others. Only operands
/// that the result depends on are evaluated: the others may divide by zero or
/// read past the end of an array.
template <typename Test, typename Value>
double evaluateOperation(const IndexExpr &expr, const Test &test,
                         const Value &value);

/// Whether operand `operand` is evaluated only depending on the first one: the
/// branches of an `if`, and the right operand of `and` and `or`. Where it is
/// not evaluated it may divide by zero or read past the end of an array.
bool isGuarded(const IndexExpr &expr, size_t operand);

template <typename Test, typename Value>
double evaluateOperation(const IndexExpr &expr, const Test &test,
                         const Value &value) {
  if (expr.op == ScalarOp::Select)
    return value(*expr.operands[test(*expr.operands[0]) != 0 ? 1 : 2]);
  // The right operand of `and` and `or`, if the left one does not decide.
  if (isGuarded(expr, 1)) {
    bool first = value(*expr.operands[0]) != 0;
    if (first != expr.isOperation(ScalarOp::And))
      return first;
    return value(*expr.operands[1]) != 0;
  }
  std::array<double, 3> operands{};
  for (size_t k = 0; k < expr.operands.size(); ++k)
    operands[k] = value(*expr.operands[k]);
  return evaluate(expr.op, std::span(operands).first(expr.operands.size()));
}

/// Whether the expression reads lengths as numbers; these have no value before
/// the program runs.
bool dependsOnLengths(const IndexExpr &expr);

/// Calls `visit` for each node, operands before the node that contains them.
void walk(const IndexExpr &expr,
          const std::function<void(const IndexExpr &)> &visit);

/// Σ coefficient · index + constant, all integers.
struct LinearForm {
  std::vector<int64_t> coefficients; // one for each of the definition's indices
  int64_t constant = 0;
};
/// `expr` as a linear form of `count` indices; nullopt if it is not linear.
std::optional<LinearForm> linearForm(const IndexExpr &expr, size_t count);

/// Whether `expr` is invariant when indices `a` and `b` grow by the same
/// amount, i.e. whether it depends only on their distance.
bool dependsOnDistanceOnly(const IndexExpr &expr, int a, int b, size_t count);

/// A definition by index: "[i, j] = j - i". `%0[i, j]` reads an array.
struct IndexDefinition {
  std::vector<std::string> indices;
  IndexExprPtr body;

  /// The text that `parse` reads; equal texts mean equal definitions.
  std::string str() const;
  /// Parses what `str` prints; nullopt if `text` is anything else.
  static std::optional<IndexDefinition> parse(std::string_view text);
};

} // namespace transfold
