// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the labels of a product say.

#ifndef TRANSFOLD_COMPILER_KERNELS_ALGORITHM_TENSORLABELS_H
#define TRANSFOLD_COMPILER_KERNELS_ALGORITHM_TENSORLABELS_H

#include "compiler/kernels/algorithm/Tensor.h"

#include <algorithm>

namespace transfold::kernels {

inline bool contains(const Labels &labels, const std::string &label) {
  return std::find(labels.begin(), labels.end(), label) != labels.end();
}

/// The label that a product sums over. Throws std::runtime_error where that is
/// not one.
std::string summedLabel(const Labels &lhs, const Labels &rhs,
                        const Labels &labels);

/// Of both operands the axes, by label.
std::map<std::string, Axis> axesByLabel(const Tensor &lhs,
                                        const Labels &lhsLabels,
                                        const Tensor &rhs,
                                        const Labels &rhsLabels);

} // namespace transfold::kernels

#endif // TRANSFOLD_COMPILER_KERNELS_ALGORITHM_TENSORLABELS_H
