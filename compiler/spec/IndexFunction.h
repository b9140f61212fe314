// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A function of absolute positions: a mask, a bias, a table of positions, the
// angles of a rotation. Functions of the spec are inlined and statics are
// folded before a Sink sees it, so what is left is a tree of scalar operations
// over the indices, constants, and arrays read by index.

#ifndef TRANSFOLD_COMPILER_SPEC_INDEXFUNCTION_H
#define TRANSFOLD_COMPILER_SPEC_INDEXFUNCTION_H

#include "compiler/spec/ScalarOp.h"

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace transfold::spec {

struct IndexExpr;
using IndexExprPtr = std::shared_ptr<const IndexExpr>;

struct IndexExpr {
  enum class Kind { Constant, Index, Operation, Read };
  Kind kind = Kind::Constant;
  /// Constant: a number, or true or false as 1 or 0. Comparisons and logic are
  /// boolean too.
  bool boolean = false;
  double value = 0;
  std::optional<ExactScalar> exact; // of `value`, where it is known
  int index = 0; // Index: its number among the function's indices
  ScalarOp op = ScalarOp::Add;
  int array = -1; // Read: a Handle of the Sink; operands are its indices
  std::vector<IndexExprPtr> operands;

  static IndexExprPtr constant(const ExactScalar &value);
  static IndexExprPtr constant(double value);
  static IndexExprPtr truth(bool value);
  static IndexExprPtr variable(int index);
  static IndexExprPtr operation(ScalarOp op,
                                std::vector<IndexExprPtr> operands);
  static IndexExprPtr read(int array, std::vector<IndexExprPtr> indices);

  bool isConstant() const { return kind == Kind::Constant; }
  std::string str(const std::vector<std::string> &names) const;
};

class IndexFunction {
public:
  /// Element `indices` of the array with this handle, in double.
  using Reader =
      std::function<double(int array, std::span<const int64_t> indices)>;

  IndexFunction(std::string name, std::vector<std::string> indexNames,
                IndexExprPtr body, unsigned families = 0);

  /// The spec's name for it where it has one: "causal", "PE".
  const std::string &name() const { return functionName; }
  unsigned arity() const { return unsigned(indexNames.size()); }
  const std::vector<std::string> &indices() const { return indexNames; }
  /// How many of the first indices are those of families that the value which
  /// it meets has as leading axes; the others are the value's last axes, in
  /// order.
  unsigned families() const { return leading; }
  const IndexExpr &expression() const { return *body; }
  bool isBoolean() const { return body->boolean; }
  /// Needs arrays: not a function of positions alone.
  bool readsArrays() const;

  /// The value at absolute indices; true and false are 1 and 0. `reader` may be
  /// null where `readsArrays` is false.
  double at(std::span<const int64_t> indices,
            const Reader &reader = nullptr) const;

  /// "[i, j] = j <= i"
  std::string str() const;

private:
  std::string functionName;
  std::vector<std::string> indexNames;
  IndexExprPtr body;
  unsigned leading;
};

} // namespace transfold::spec

#endif // TRANSFOLD_COMPILER_SPEC_INDEXFUNCTION_H
