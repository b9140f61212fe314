// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The labels of a product.

#pragma once

#include "compiler/kernels/algorithm/tensor/TensorValue.h"

#include <algorithm>
#include <map>

namespace transfold::kernels {

/// Index of `label` in `labels`, or labels.size() if it is absent.
inline size_t indexOf(const Labels &labels, const std::string &label) {
  return std::find(labels.begin(), labels.end(), label) - labels.begin();
}

/// Whether `label` is one of `labels`.
inline bool contains(const Labels &labels, const std::string &label) {
  return indexOf(labels, label) < labels.size();
}

/// The axes of a product whose result has `labels`. Throws std::runtime_error
/// unless the product sums over exactly one label and each label of the result
/// is on an operand.
struct ProductShape {
  ProductShape(const std::vector<Axis> &lhs, const Labels &lhsLabels,
               const std::vector<Axis> &rhs, const Labels &rhsLabels,
               const Labels &labels);

  /// The label that is summed over, and its axis.
  std::string over;
  Axis summed;
  /// The axes of the result.
  std::vector<Axis> axes;
};

/// The index expression of each label of a product: the variable of an axis of
/// the result, or that of the sum.
class Places {
public:
  /// Assigns `variables` to the labels of the result.
  Places(const Labels &labels, const std::vector<Halide::Var> &variables);

  /// Sets the index expression of a label.
  void set(const std::string &label, const Halide::Expr &place) {
    places[label] = place;
  }
  /// The index expression of a label.
  const Halide::Expr &at(const std::string &label) const {
    return places.at(label);
  }
  /// The indices of an operand with labels `own`.
  Indices of(const Labels &own) const;

private:
  std::map<std::string, Halide::Expr> places;
};

} // namespace transfold::kernels
