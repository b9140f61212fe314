// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/kernels/algorithm/TensorLabels.h"

namespace transfold::kernels {

std::string summedLabel(const Labels &lhs, const Labels &rhs,
                        const Labels &labels) {
  Labels summed;
  for (const Labels *own : {&lhs, &rhs})
    for (const std::string &label : *own)
      if (!contains(labels, label) && !contains(summed, label))
        summed.push_back(label);
  if (summed.size() != 1)
    throw std::runtime_error("a product sums over one label, this one over " +
                             std::to_string(summed.size()));
  return summed[0];
}

std::map<std::string, Axis> axesByLabel(const Tensor &lhs,
                                        const Labels &lhsLabels,
                                        const Tensor &rhs,
                                        const Labels &rhsLabels) {
  std::map<std::string, Axis> axes;
  for (auto [tensor, labels] :
       {std::pair(&lhs, &lhsLabels), {&rhs, &rhsLabels}})
    for (size_t i = 0; i < labels->size(); ++i)
      axes[(*labels)[i]] = tensor->axes[i];
  return axes;
}

} // namespace transfold::kernels
