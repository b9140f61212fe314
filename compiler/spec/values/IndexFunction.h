// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A function of absolute positions: a mask, a bias, a table of positions, the
// angles of a rotation. Functions of the spec are inlined and statics are
// folded, so that only a tree of scalar operations remains.

#pragma once

#include "base/exact/IndexExpr.h"
#include "compiler/spec/values/ScalarOp.h"

#include <span>
#include <string>
#include <vector>

namespace transfold::spec {

using transfold::IndexExpr;
using transfold::IndexExprPtr;

/// A function from integer indices to a scalar.
class IndexFunction {
public:
  /// Reads the elements of arrays, which are values of the entry by number.
  using Reader = ArrayReader;

  /// `body` refers to the indices by their numbers in `indexNames`; the first
  /// `families` of them are those of families.
  IndexFunction(std::string name, std::vector<std::string> indexNames,
                IndexExprPtr body, unsigned families = 0);

  /// Its name in the spec, if any: "causal", "PE".
  const std::string &name() const { return functionName; }
  /// The number of indices, those of families included.
  unsigned arity() const { return unsigned(indexNames.size()); }
  const std::vector<std::string> &indices() const { return indexNames; }
  /// How many of the first indices are those of families, which are the leading
  /// axes of the value that the function is combined with; the other indices
  /// are that value's last axes, in order.
  unsigned families() const { return leading; }
  const IndexExpr &expression() const { return *body; }
  /// Whether the function is a condition, such as a mask.
  bool isBoolean() const { return body->boolean; }

  /// The value at absolute indices; true and false are 1 and 0. `reader` may be
  /// null if the expression reads no arrays.
  double at(std::span<const int64_t> indices,
            const Reader &reader = nullptr) const;

  /// Whether both compute the same; their names may differ.
  bool operator==(const IndexFunction &other) const;

  /// The text of the function: "[i, j] = j <= i".
  std::string str() const;

private:
  std::string functionName;
  std::vector<std::string> indexNames;
  IndexExprPtr body;
  unsigned leading;
};

} // namespace transfold::spec
