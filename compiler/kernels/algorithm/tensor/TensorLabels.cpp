// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Axes and index expressions by label, which products of any rank need.

#include "compiler/kernels/algorithm/tensor/TensorLabels.h"

#include <stdexcept>

namespace transfold::kernels {

// The only label of the operands that the result lacks.
static std::string summedLabel(const Labels &lhs, const Labels &rhs,
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

ProductShape::ProductShape(const std::vector<Axis> &lhs,
                           const Labels &lhsLabels,
                           const std::vector<Axis> &rhs,
                           const Labels &rhsLabels, const Labels &labels)
    : over(summedLabel(lhsLabels, rhsLabels, labels)) {
  std::map<std::string, Axis> byLabel;
  for (auto [own, ownLabels] :
       {std::pair(&lhs, &lhsLabels), {&rhs, &rhsLabels}})
    for (size_t i = 0; i < ownLabels->size(); ++i)
      byLabel[(*ownLabels)[i]] = (*own)[i];
  summed = byLabel.at(over);
  for (const std::string &label : labels) {
    auto found = byLabel.find(label);
    if (found == byLabel.end())
      throw std::runtime_error("label " + label + " is on no operand");
    axes.push_back(found->second);
  }
}

Places::Places(const Labels &labels,
               const std::vector<Halide::Var> &variables) {
  for (size_t i = 0; i < labels.size(); ++i)
    places[labels[i]] = variables[i];
}

Indices Places::of(const Labels &own) const {
  Indices indices;
  for (const std::string &label : own)
    indices.push_back(places.at(label));
  return indices;
}

} // namespace transfold::kernels
