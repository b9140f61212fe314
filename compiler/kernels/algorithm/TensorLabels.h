// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the labels of a product say.

#ifndef TRANSFOLD_COMPILER_KERNELS_ALGORITHM_TENSORLABELS_H
#define TRANSFOLD_COMPILER_KERNELS_ALGORITHM_TENSORLABELS_H

#include "compiler/kernels/algorithm/TensorValue.h"

#include <algorithm>
#include <map>

namespace transfold::kernels {

/// Which of `labels` it is; as many as there are where it is none.
inline size_t indexOf(const Labels &labels, const std::string &label) {
  return std::find(labels.begin(), labels.end(), label) - labels.begin();
}

inline bool contains(const Labels &labels, const std::string &label) {
  return indexOf(labels, label) < labels.size();
}

/// The axes of a product whose result has `labels`. Throws std::runtime_error
/// where it does not sum over one label, or a label of the result is on neither
/// operand.
struct ProductShape {
  ProductShape(const std::vector<Axis> &lhs, const Labels &lhsLabels,
               const std::vector<Axis> &rhs, const Labels &rhsLabels,
               const Labels &labels);

  /// The label that is summed over, and its axis.
  std::string over;
  Axis summed;
  /// Of the result.
  std::vector<Axis> axes;
};

/// Where each label of a product is: the variable of an axis of the result, or
/// what a sum goes through.
class Places {
public:
  Places(const Labels &labels, const std::vector<Halide::Var> &variables);

  void set(const std::string &label, const Halide::Expr &place) {
    places[label] = place;
  }
  const Halide::Expr &at(const std::string &label) const {
    return places.at(label);
  }
  /// The indices of an operand with `own` labels.
  Indices of(const Labels &own) const;

private:
  std::map<std::string, Halide::Expr> places;
};

} // namespace transfold::kernels

#endif // TRANSFOLD_COMPILER_KERNELS_ALGORITHM_TENSORLABELS_H
