// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A scalar that is defined by index: a tree of scalar operations over the
// indices, constants, and arrays read by index. Masks, biases, tables of
// positions and the angles of rotations are such trees, from the spec down to
// the kernel. Everything is meant in double.

#ifndef TRANSFOLD_DIALECT_EXACT_INDEXEXPR_H
#define TRANSFOLD_DIALECT_EXACT_INDEXEXPR_H

#include "dialect/exact/ExactScalar.h"
#include "dialect/exact/ScalarOp.h"

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

struct IndexExpr {
  enum class Kind { Constant, Index, Operation, Read, Length };
  Kind kind = Kind::Constant;
  /// Constant: a number, or true or false as 1 or 0. Comparisons and logic are
  /// boolean too.
  bool boolean = false;
  double value = 0;
  std::optional<ExactScalar> exact; // of `value`, where it is known
  int index = 0; // Index: its number among the function's indices
  ScalarOp op = ScalarOp::Add;
  int array = -1; // Read: which array; operands are its indices
  /// Length: the name of a length of the spec, as a number. Definitions of the
  /// dialect have none: there it is an array without axes (xf.length).
  std::string name;
  std::vector<IndexExprPtr> operands;

  static IndexExprPtr constant(const ExactScalar &value);
  static IndexExprPtr constant(double value);
  static IndexExprPtr truth(bool value);
  static IndexExprPtr variable(int index);
  static IndexExprPtr operation(ScalarOp op,
                                std::vector<IndexExprPtr> operands);
  static IndexExprPtr read(int array, std::vector<IndexExprPtr> indices);
  static IndexExprPtr length(std::string name);

  bool isConstant() const { return kind == Kind::Constant; }
  bool isOperation(ScalarOp which) const {
    return kind == Kind::Operation && op == which;
  }
  /// As the language writes it: "sin(t / 10000^(2 * c / 512))".
  std::string str(const std::vector<std::string> &names) const;
};

/// Element `indices` of array `array`, in double.
using ArrayReader =
    std::function<double(int array, std::span<const int64_t> indices)>;

/// The value at absolute indices; true and false are 1 and 0. `reader` may be
/// null where no array is read.
double evaluate(const IndexExpr &expr, std::span<const int64_t> indices,
                const ArrayReader &reader = nullptr);

/// Whether an operand is looked at only where the first one says so: the
/// branches of an `if`, and what stands behind `and` and `or`. Elsewhere it may
/// divide by zero, or read beyond the end of an array.
bool isGuarded(const IndexExpr &expr, size_t operand);

/// Whether lengths are read as numbers; they have no value before the program
/// runs.
bool dependsOnLengths(const IndexExpr &expr);

/// `visit` for each node, operands before what they are in.
void walk(const IndexExpr &expr,
          const std::function<void(const IndexExpr &)> &visit);

/// Σ coefficient · index + constant, all integers.
struct LinearForm {
  std::vector<int64_t> coefficients; // one for each of the function's indices
  int64_t constant = 0;
};
/// `expr` as a linear form of `count` indices; none where it is none.
std::optional<LinearForm> linearForm(const IndexExpr &expr, size_t count);

/// Whether `expr` stays the same when `a` and `b` grow by the same number: it
/// then depends on their distance only.
bool dependsOnDistanceOnly(const IndexExpr &expr, int a, int b, size_t count);

/// A definition by index: "[i, j] = j - i". `%0[i, j]` reads an array.
struct IndexDefinition {
  std::vector<std::string> indices;
  IndexExprPtr body;

  std::string str() const;
  /// What `str` prints; none where `text` is something else.
  static std::optional<IndexDefinition> parse(std::string_view text);
};

} // namespace transfold

#endif // TRANSFOLD_DIALECT_EXACT_INDEXEXPR_H
