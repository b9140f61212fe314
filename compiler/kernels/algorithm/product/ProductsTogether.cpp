// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Products of one value with several matrices.
//
// Products of one x with several matrices of the same shape, on a device:
//
//   sum(c, n)[i] = Σ_k x(n, k) W_i(c, k)        a tuple: a number for each i
//
// One loop over k computes all of them, so that x is loaded once, and
// operations that follow may combine the values of one place: silu(x W_0) · (x
// W_1) is one kernel. Each sum is the one of a separate product, computed in
// the same parts.

#include "compiler/kernels/algorithm/product/Product.h"

using namespace Halide;

namespace transfold::kernels {

// function(variables) = 0, then function(place) += term, for each tuple
// element.
static void accumulate(Func function, const std::vector<Var> &variables,
                       const std::vector<Expr> &place,
                       const std::function<Expr(size_t)> &term, size_t count) {
  function(variables) = Tuple(std::vector<Expr>(count, 0.0f));
  std::vector<Expr> sums;
  for (size_t i = 0; i < count; ++i)
    sums.push_back(function(place)[static_cast<int>(i)] + term(i));
  function(place) = Tuple(sums);
}

std::vector<Tensor>
AlgorithmBuilder::contractTogether(const Tensor &lhs, const Labels &lhsLabels,
                                   const std::vector<Tensor> &matrices,
                                   const Labels &rhsLabels,
                                   const Labels &labels) {
  std::vector<Var> variables = indexVariables(labels.size());
  const size_t count = matrices.size();
  Product product(lhs, lhsLabels, matrices[0], rhsLabels, labels, variables);
  Contraction contraction;
  chooseTile(product, contraction);
  if (!contraction.isOfColumns || !contraction.row)
    throw std::runtime_error("products of one value together have rows and "
                             "columns");
  contraction.device.ofGroups.clear();
  for (const Tensor &matrix : matrices)
    contraction.device.ofGroups.insert(contraction.device.ofGroups.end(),
                                       matrix.ofGroups.begin(),
                                       matrix.ofGroups.end());
  sumOver(product, contraction);
  const std::vector<Expr> terms = termsOfTiles(product, matrices, contraction);

  const std::vector<Var> pure = innermostFirst(variables);
  std::vector<Var> ofPart = pure;
  ofPart.insert(ofPart.end(), product.parts.begin(), product.parts.end());
  contraction.sum = Func(uniqueName("sum"));
  accumulate(
      contraction.sum, ofPart, std::vector<Expr>(ofPart.begin(), ofPart.end()),
      [&](size_t i) { return terms[i]; }, count);
  Func all = contraction.sum;
  const std::vector<Expr> arguments(pure.begin(), pure.end());
  if (contraction.parts.defined()) {
    std::vector<Expr> place = arguments;
    place.emplace_back(contraction.parts.x);
    all = contraction.total = Func(uniqueName("total"));
    accumulate(
        all, pure, arguments,
        [&](size_t i) -> Expr {
          return contraction.sum(place)[static_cast<int>(i)];
        },
        count);
  }
  std::vector<Tensor> results;
  for (size_t i = 0; i < count; ++i) {
    Func value(uniqueName("product"));
    value(pure) = all(arguments)[static_cast<int>(i)];
    if (i == 0)
      contraction.value = value;
    results.push_back({product.shape.axes, entriesOf(value)});
  }
  algorithm.contractions.push_back(contraction);
  return results;
}

} // namespace transfold::kernels
