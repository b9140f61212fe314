// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Contractions of contractions, as one product of several factors that can be
// computed in any order.

#pragma once

#include "compiler/fold/order/ContractionOrder.h"
#include "dialect/Dialect.h"

#include <optional>

namespace transfold::fold {

/// A product of at least three factors.
class Chain {
public:
  /// The chain whose last contraction is `end`; nullopt if there is none, or if
  /// `end` is an inner contraction of another chain.
  static std::optional<Chain> endingAt(xf::ContractOp end);

  /// An order that costs less than that of the equations, and for no lengths
  /// more; nullopt if there is none. Of several, the one that costs least for a
  /// single row.
  std::optional<Order> better() const;
  /// The cost of the order that the equations have.
  CostPolynomial cost() const { return costOf(product, written); }
  /// An order in text, with names of weights: "x (A B)".
  std::string text(const Steps &steps) const;
  /// The order that the equations have, in text.
  std::string text() const { return text(written); }
  /// The weights among the factors, as the spec names them.
  std::string names() const;
  mlir::Location getLoc() const { return end->getLoc(); }

  /// Replaces the last contraction by the products of `order`; the others are
  /// left without readers.
  void apply(const Order &order);

private:
  /// A factor, or an inner contraction, with the numbers of its labels.
  struct Node {
    mlir::Value value;
    llvm::SmallVector<unsigned> labels;
  };

  /// The contraction that computes a value for another contraction only; null
  /// if it is a factor.
  static xf::ContractOp innerOf(mlir::Value value);
  /// The labels of the operands of a contraction, whose result has `labels`.
  std::pair<Node, Node> operandsOf(xf::ContractOp op,
                                   llvm::ArrayRef<unsigned> labels);
  /// Adds the factors of `node` and the steps of the written order; returns the
  /// number of its node. `inner` are the contractions that are taken apart.
  unsigned addNode(const Node &node,
                   const llvm::SmallPtrSetImpl<mlir::Operation *> &inner,
                   unsigned factorCount);
  /// Whether each label that is summed over occurs in two factors, and no
  /// factor has a label twice.
  bool isSumOfProducts() const;
  /// The name of a factor in text: the weight's, as short as is clear, or x.
  std::string nameOf(unsigned factor) const;

  xf::ContractOp end;
  llvm::SmallVector<unsigned> resultLabels;
  llvm::SmallVector<mlir::Attribute> sizes; // of each label
  std::vector<Node> factors;
  FactorProduct product;
  Steps written;
};

} // namespace transfold::fold
