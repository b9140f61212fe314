// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The state that the definitions of a product share.

#pragma once

#include "compiler/kernels/algorithm/tensor/Tensor.h"
#include "compiler/kernels/algorithm/tensor/TensorLabels.h"

namespace transfold::kernels {

/// The first operand of a product, with labels `labels`, as a function
/// (channel, rows…): `entry` maps the indices of the operand and the channel to
/// the value.
Halide::Func
ofRows(const std::string &name, const Labels &labels, const std::string &over,
       const std::function<Halide::Expr(const Indices &, Halide::Var)> &entry);

/// A product: its operands, and the index expressions of its labels.
struct AlgorithmBuilder::Product {
  const Tensor &lhs, &rhs;
  const Labels &lhsLabels, &rhsLabels, &labels;
  ProductShape shape;
  Places places;
  Halide::Expr pair;   // pair index, for a matrix in pairs
  Halide::Expr slot;   // which value of the pair
  Halide::Expr number; // index within the group, for a matrix in blocks
  /// The variables of the part of a sum: the last arguments of `sum`.
  std::vector<Halide::Var> parts;

  Product(const Tensor &lhs, const Labels &lhsLabels, const Tensor &rhs,
          const Labels &rhsLabels, const Labels &labels,
          const std::vector<Halide::Var> &variables)
      : lhs(lhs), rhs(rhs), lhsLabels(lhsLabels), rhsLabels(rhsLabels),
        labels(labels), shape(lhs.axes, lhsLabels, rhs.axes, rhsLabels, labels),
        places(labels, variables) {}

  /// Codes of the matrix are multiplied with integers of the rows.
  bool isOfIntegers() const;
  /// Pairs of the matrix are multiplied with pairs of the rows, by one
  /// instruction that is marked.
  bool isOfPairs() const;
  /// The scale of the integers of a row, for group `group` of codes.
  Halide::Expr scaleOfRow(const Halide::Expr &group) const;

  /// The labels of the matrix that are neither summed nor a column.
  Labels members() const { return {rhsLabels.begin(), rhsLabels.end() - 2}; }
  /// The arguments (`first`, rows…) at which a function of the first operand's
  /// rows is read.
  std::vector<Halide::Expr> ofRows(const Halide::Expr &first) const {
    std::vector<Halide::Expr> place{first};
    for (const std::string &label : lhsLabels)
      if (label != shape.over)
        place.push_back(places.at(label));
    return place;
  }
};

} // namespace transfold::kernels
